package io.github.wheelscheduler.autoconfigure;

import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.StringUtils;

/**
 * The properties below a prefix, as {@code prefix.<name>.<setting>}. A name may have dots, without brackets, too: the
 * name is the rest of a property before its end, which is a setting. The settings are the parameters of the record that
 * they are bound to.
 *
 * <p>Boot's binder would end a name at its first dot, and takes names for equal that differ by case. So this looks at
 * properties as they are written, but for the environment, whose names Boot translates.
 */
final class NamedSettings {

    private static final String PLAIN = "[A-Za-z][A-Za-z0-9-]*";

    /**
     * Where a name is followed by no setting that exists, as many elements at its end as may have been meant as one.
     */
    private static final int MOST_MEANT = 3;

    private final Environment environment;
    private final String prefix;
    private final ConfigurationPropertyName root;

    /** The settings by their uniform text; none where no source says anything. */
    private final Map<String, String> settings = new LinkedHashMap<>();

    private final List<Layer> layers = new ArrayList<>();
    private final List<Written> unmatched = new ArrayList<>();

    /**
     * A property as it is written.
     *
     * @param name the part between prefix and setting; everything after the prefix, if no setting follows
     */
    record Written(String key, String name, ConfigurationProperty property, boolean isOfEnvironment) {

        Written named(String other) {
            return new Written(key, other, property, isOfEnvironment);
        }

        /** Returns the property, and where it stands. */
        String place() {
            return key + (property.getOrigin() == null ? "" : " (from " + property.getOrigin() + ")");
        }

        /** Returns the begin of each message: which property it is, and where it stands. */
        String text() {
            return "The property '" + key + "'"
                    + (property.getOrigin() == null ? "" : " (from " + property.getOrigin() + ")");
        }
    }

    /** The properties of one source, by names and settings, or a source that has to be asked. */
    record Layer(
            Map<String, Map<String, Written>> named,
            @Nullable PropertySource<?> asked) {}

    /** A name and a setting that may have been meant. */
    private record Guess(String name, String setting, int distance) {}

    NamedSettings(Environment environment, String prefix, Class<?> target) {
        this.environment = environment;
        this.prefix = prefix;
        this.root = ConfigurationPropertyName.of(prefix);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.containsDescendantOf(root) != ConfigurationPropertyState.ABSENT) {
                if (settings.isEmpty()) {
                    addSettings(target, "");
                }
                Layer layer = read(source);
                if (layer.asked != null || !layer.named.isEmpty()) {
                    layers.add(0, layer);
                }
            }
        }
    }

    private void addSettings(Class<?> target, String before) {
        for (Parameter parameter : target.getDeclaredConstructors()[0].getParameters()) {
            String setting = before + DataObjectPropertyName.toDashedForm(parameter.getName());
            if (parameter.getType().isRecord()) {
                addSettings(parameter.getType(), setting + ".");
            } else {
                settings.put(uniform(setting), setting);
            }
        }
    }

    /** Returns the sources that say something, or may, in the order in which each goes over those before it. */
    List<Layer> layers() {
        return layers;
    }

    /** Returns the properties below the prefix that end in no setting, or have no name, and are not empty. */
    List<Written> unmatched() {
        return unmatched;
    }

    // Reading

    private Layer read(ConfigurationPropertySource source) {
        Map<String, Map<String, Written>> named = new LinkedHashMap<>();
        Object underlying = source.getUnderlyingSource();
        if (underlying instanceof SystemEnvironmentPropertySource
                && source instanceof IterableConfigurationPropertySource environmental) {
            environmental.stream().filter(root::isAncestorOf).forEach(name -> addOfEnvironment(named, source, name));
        } else if (underlying instanceof EnumerablePropertySource<?> listable) {
            for (String key : listable.getPropertyNames()) {
                ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
                Object value = root.isAncestorOf(name) ? listable.getProperty(key) : null;
                if (value != null) {
                    ConfigurationProperty property =
                            new ConfigurationProperty(name, value, PropertySourceOrigin.get(listable, key));
                    add(named, new Written(key, "", property, false), elementsOf(key));
                }
            }
        } else if (underlying instanceof PropertySource<?> unlistable) {
            return new Layer(named, unlistable);
        }
        return new Layer(named, null);
    }

    private void addOfEnvironment(
            Map<String, Map<String, Written>> named,
            ConfigurationPropertySource source,
            ConfigurationPropertyName name) {
        ConfigurationProperty property = source.getConfigurationProperty(name);
        if (property != null) {
            List<String> elements = new ArrayList<>();
            for (int i = 0; i < name.getNumberOfElements(); i++) {
                elements.add(name.getElement(i, Form.ORIGINAL));
            }
            String key = property.getOrigin() instanceof PropertySourceOrigin origin ? origin.getPropertyName() : null;
            add(named, new Written(key == null ? name.toString() : key, "", property, true), elements);
        }
    }

    /** Adds a property under the name that is left of it when the longest end that is a setting has been taken away. */
    private void add(Map<String, Map<String, Written>> named, Written written, List<String> elements) {
        List<String> below = elements.subList(root.getNumberOfElements(), elements.size());
        for (int end = 1; end < below.size(); end++) {
            String setting = settingOf(below.subList(end, below.size()), written.isOfEnvironment);
            if (setting != null) {
                String name = String.join(".", below.subList(0, end));
                Written ignored = named.computeIfAbsent(name, unused -> new HashMap<>())
                        .putIfAbsent(setting, written.named(name));
                return;
            }
        }
        if (!"".equals(written.property.getValue())) {
            unmatched.add(written.named(String.join(".", below)));
        }
    }

    /**
     * Returns the setting that these elements are; an environment variable has underscores for dashes, too, or nothing.
     */
    private @Nullable String settingOf(List<String> elements, boolean isOfEnvironment) {
        String setting = settings.get(uniform(String.join("", elements)));
        return setting != null
                        && (isOfEnvironment || elements.size() == StringUtils.countOccurrencesOf(setting, ".") + 1)
                ? setting
                : null;
    }

    private static List<String> elementsOf(String key) {
        List<String> elements = new ArrayList<>();
        StringBuilder element = new StringBuilder();
        int depth = 0;
        for (char next : (key + ".").toCharArray()) {
            boolean opens = next == '[' && depth++ == 0;
            boolean closes = next == ']' && depth > 0 && --depth == 0;
            if (opens || closes || (next == '.' && depth == 0)) {
                if (!element.isEmpty()) {
                    elements.add(element.toString());
                }
                element.setLength(0);
            } else {
                element.append(next);
            }
        }
        return elements;
    }

    /** Returns the values for a name, by settings, of a source that cannot be listed. */
    Map<String, Written> ask(PropertySource<?> source, String name) {
        Map<String, Written> answers = new HashMap<>();
        for (String setting : settings.values()) {
            for (String key : List.of(prefix + "[" + name + "]." + setting, prefix + "." + name + "." + setting)) {
                Object value = answers.containsKey(setting) ? null : source.getProperty(key);
                if (value != null) {
                    ConfigurationProperty property = new ConfigurationProperty(
                            ConfigurationPropertyName.adapt(key, '.'), value, PropertySourceOrigin.get(source, key));
                    answers.put(setting, new Written(key, name, property, false));
                }
            }
        }
        return answers;
    }

    /** Binds the properties of a name to the record of all settings. */
    <T> T bind(String name, Map<String, Written> written, Class<T> target) {
        return binder(name, written).bindOrCreate(base(name), Bindable.of(target), null);
    }

    /** Binds the property of a name and a setting; null if there is none. */
    @Nullable
    Object bind(String name, Map<String, Written> written, String setting, Class<?> type) {
        return written.containsKey(setting)
                ? binder(name, written)
                        .bind(base(name).append(ConfigurationPropertyName.of(setting)), Bindable.of(type))
                        .orElse(null)
                : null;
    }

    private Binder binder(String name, Map<String, Written> written) {
        Map<ConfigurationPropertyName, ConfigurationProperty> properties = new HashMap<>();
        written.forEach((setting, one) ->
                properties.put(base(name).append(ConfigurationPropertyName.of(setting)), one.property));
        ConfigurationPropertySource source = properties::get;
        return new Binder(List.of(source), new PropertySourcesPlaceholdersResolver(environment));
    }

    private ConfigurationPropertyName base(String name) {
        return ConfigurationPropertyName.adapt(textOf(name), '.');
    }

    // Texts

    /** Returns how prefix and name are written. */
    String textOf(String name) {
        return prefix + (name.matches(PLAIN) ? "." + name : "[" + name + "]");
    }

    /** Returns how a property for a name is written where the other one is. */
    String textOf(String name, String setting, boolean isOfEnvironment) {
        String text = textOf(name) + "." + setting;
        return isOfEnvironment
                ? (prefix + "." + name + "." + setting)
                        .replaceAll("[^\\p{L}\\p{N}.]", "")
                        .replace('.', '_')
                        .toUpperCase(Locale.ROOT)
                : text;
    }

    /** Explains the fault of a property that does not end in a setting, and suggests the closest one. */
    String explain(Written written, Collection<String> names) {
        List<String> elements = elementsOf(written.name);
        Guess guess = guess(written.name, "", names);
        for (int meant = 1; meant <= Math.min(MOST_MEANT, elements.size()); meant++) {
            int end = elements.size() - meant;
            Guess other = guess(
                    String.join(".", elements.subList(0, end)),
                    String.join(".", elements.subList(end, elements.size())),
                    names);
            guess = other.distance < guess.distance ? other : guess;
        }
        return written.text() + " must be " + prefix
                + ".<name>.<setting>, but ends in no setting or has no name. The closest match: '"
                + guess.setting + "'" + (guess.name.isEmpty() ? "" : " of '" + guess.name + "'") + ", written "
                + textOf(guess.name.isEmpty() ? "name" : guess.name, guess.setting, written.isOfEnvironment);
    }

    private Guess guess(String name, String setting, Collection<String> names) {
        String nearestSetting = setting.isEmpty()
                ? settings.values().iterator().next()
                : Objects.requireNonNull(nearest(setting, settings.values()));
        String nearestName = nearest(name, names);
        String known = nearestName == null ? name : nearestName;
        return new Guess(
                known,
                nearestSetting,
                distance(uniform(name), uniform(known)) + distance(uniform(setting), uniform(nearestSetting)));
    }

    /** Returns the one that is most like a text; null if there is none. */
    static @Nullable String nearest(String text, Collection<String> others) {
        String uniform = uniform(text);
        return others.stream()
                .min(Comparator.comparingInt(other -> distance(uniform, uniform(other))))
                .orElse(null);
    }

    /** Returns the small letters and digits of a text. */
    static String uniform(String text) {
        StringBuilder uniform = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int next = text.codePointAt(i);
            if (Character.isLetterOrDigit(next)) {
                uniform.appendCodePoint(Character.toLowerCase(next));
            }
        }
        return uniform.toString();
    }

    /** Returns how many characters have to be changed, added or left out to make one of the other. */
    static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int changed = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(changed, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[other.length()];
    }
}
