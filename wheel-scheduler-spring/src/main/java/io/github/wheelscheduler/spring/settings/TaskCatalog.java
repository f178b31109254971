package io.github.wheelscheduler.spring.settings;

import io.github.wheelscheduler.UnusableSettingException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the ids of annotated methods, and the settings of each id, before tasks are scheduled. One for all schedulers
 * of an application. Any thread.
 *
 * <p>Settings come in two layers. The lower one has the settings of the code: by annotation, or by {@link #set}. The
 * upper one has the settings of the application's operators, by {@link #override}. The settings of an id hold for every
 * schedule of it, from when the task is next scheduled on: of all {@code Jobs.poll}, {@code Jobs.poll~2} and so on,
 * which share the id {@code Jobs.poll}.
 */
public final class TaskCatalog {

    private static final String CODE = "code";

    private final BeanIds ids = new BeanIds();
    private final DeclaredMethods methods = new DeclaredMethods(ids);

    private final Map<String, TaskSettings> settings = new ConcurrentHashMap<>();
    private final Map<String, TaskSettings> overrides = new ConcurrentHashMap<>();

    /** Returns further settings by operators for an id. */
    private volatile @Nullable Function<String, TaskSettings> overriding;

    /** Names the source of a setting of an id, of those. */
    private volatile @Nullable BiFunction<String, String, @Nullable String> namesOfSources;

    /** Knows which objects are beans; null if nothing does. */
    private volatile @Nullable BeanNames beanNames;

    // Ids

    /**
     * Makes an annotated method of a bean known, before Spring schedules it; once for each object. For objects of the
     * same name, the settings that were declared last hold.
     *
     * @param declaration with the id that is meant for all beans: it is that of the first one, and of others with their
     *     names behind it
     * @throws IllegalStateException if another method has that id
     */
    public void declare(TaskDeclaration declaration) {
        methods.add(declaration);
    }

    /**
     * Removes a declaration once its object is gone, once for each declaration. The id of a method without any object
     * goes to the next bean.
     *
     * @param declaration as it was declared
     */
    public void withdraw(TaskDeclaration declaration) {
        methods.remove(declaration);
    }

    /**
     * Sets the listener for each form of an id that no longer means a bean, on any thread. Its settings stay, for the
     * next bean.
     */
    public void onFreeId(Consumer<String> told) {
        ids.onFree(Objects.requireNonNull(told, "told must not be null"));
    }

    /**
     * Returns the id of the tasks of that name that an object brings, which may be a bean; it is the bean's until that
     * has gone.
     */
    public String idOf(String name, Object owner) {
        BeanNames current = beanNames;
        return current == null ? name : current.takeId(owner, name, ids);
    }

    /** Whether there is a source of the names of beans. */
    public boolean findsBeans() {
        return beanNames != null;
    }

    /** Sets the source of the names of beans by object. */
    public void findBeansBy(BeanNames newBeanNames) {
        beanNames = Objects.requireNonNull(newBeanNames, "beanNames must not be null");
    }

    /** Returns the id of the method that Spring's wrapper runs by its text; null if none is known. */
    public @Nullable String idOf(Object wrapper, String text) {
        List<TaskDeclaration> known = methods.byText(text);
        if (known.isEmpty()) {
            return null;
        }
        String first = known.get(0).id();
        if (known.size() == 1 || known.stream().allMatch(one -> one.id().equals(first))) {
            return first;
        }
        String found = HiddenMethod.idOf(wrapper, known, beanNames);
        // Without their beans, they are numbered.
        return found != null
                        || !known.stream().allMatch(one -> ids.nameOf(one.id()).equals(ids.nameOf(first)))
                ? found
                : ids.nameOf(first);
    }

    /** Returns the method that was declared first with that id; null if none was. */
    public @Nullable TaskDeclaration declaration(String id) {
        return methods.first(id);
    }

    /** Returns the first method of each id, in no order. */
    public Collection<TaskDeclaration> declarations() {
        return methods.firstOfEach();
    }

    /**
     * Returns the ids that are known: those of methods, also with the name of their bean, and those with settings in
     * code.
     */
    public Set<String> ids() {
        Set<String> all = new TreeSet<>(settings.keySet());
        methods.ids().forEach(id -> {
            boolean ignored = all.add(id) && all.add(ids.longFormOf(id));
        });
        return all;
    }

    /** Returns the number of entries for methods and beans; it is bounded while beans are created and destroyed. */
    int footprint() {
        BeanNames current = beanNames;
        if (current != null) {
            current.forgetCollected();
        }
        return ids.size() + methods.size();
    }

    // Settings

    /** Sets the settings in code for tasks of that id, which override annotations; replaces the previous ones. */
    public void set(String id, TaskSettings taskSettings) {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(taskSettings, "taskSettings must not be null");
        settings.put(id, taskSettings);
    }

    /** Copies the settings in code of another catalog, except for ids that are set here. */
    public void setAllOf(TaskCatalog other) {
        for (Map.Entry<String, TaskSettings> set : other.settings.entrySet()) {
            TaskSettings ignored = settings.putIfAbsent(set.getKey(), set.getValue());
        }
    }

    /** Sets the settings for tasks of that id that override all settings in code. */
    public void override(String id, TaskSettings taskSettings) {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(taskSettings, "taskSettings must not be null");
        overrides.put(id, taskSettings);
    }

    /**
     * Sets a function that returns more of these settings for an id each time a task is scheduled; settings for single
     * ids override them.
     */
    public void overrideBy(Function<String, TaskSettings> newOverriding) {
        overriding = Objects.requireNonNull(newOverriding, "overriding must not be null");
    }

    /**
     * Sets a function of ids and settings that returns the source of {@linkplain #overrideBy these settings}; it
     * returns null if that is unknown.
     */
    public void nameSourcesBy(BiFunction<String, String, @Nullable String> newNamesOfSources) {
        namesOfSources = Objects.requireNonNull(newNamesOfSources, "namesOfSources must not be null");
    }

    /**
     * Returns where the settings of a task come from: {@code annotation}, {@code code}, {@code default} for what
     * follows from another setting, or what the {@linkplain #nameSourcesBy named} source is called. Settings changed
     * since the task was scheduled are not its source.
     *
     * @param held the settings of a task of that id, as {@link #settingsOf} has returned them
     * @return by the names of the settings, in the order of {@link TaskSettings#toMap}
     */
    public Map<String, String> sourcesOf(String id, TaskSettings held) {
        Map<String, String> sources = new LinkedHashMap<>();
        held.toMap().forEach((setting, value) -> {
            String ignored = sources.put(setting, sourceOf(id, setting, value, held));
        });
        return sources;
    }

    private String sourceOf(String id, String setting, String value, TaskSettings held) {
        Function<String, TaskSettings> asked = overriding;
        BiFunction<String, String, @Nullable String> names = namesOfSources;
        List<String> forms = formsOf(id);
        for (int i = forms.size() - 1; i >= 0; i--) {
            String form = forms.get(i);
            if (says(overrides.get(form), setting, value)) {
                return CODE;
            }
            if (asked != null && says(asked.apply(form), setting, value)) {
                String named = names == null ? null : names.apply(form, setting);
                return named == null ? CODE : named;
            }
        }
        if (forms.stream().anyMatch(form -> says(settings.get(form), setting, value))) {
            return CODE;
        }
        TaskDeclaration declared = methods.first(id);
        if (declared != null && says(declared.settings(), setting, value)) {
            return "annotation";
        }
        return says(held.usual(), setting, value) ? "default" : CODE;
    }

    private static boolean says(@Nullable TaskSettings layer, String setting, String value) {
        return layer != null && value.equals(layer.toMap().get(setting));
    }

    /** Returns the forms of an id that may have settings; the last one overrides the first. */
    private List<String> formsOf(String id) {
        String name = ids.nameOf(id);
        String longForm = name.equals(id) ? ids.longFormOf(id) : id;
        return longForm.equals(name) ? List.of(name) : List.of(name, longForm);
    }

    private boolean isNothingSet() {
        return overriding == null && settings.isEmpty() && overrides.isEmpty() && methods.isEmpty();
    }

    /**
     * Returns the effective settings for a task of that id that is scheduled now. Settings for an id with a bean name
     * override settings for all beans.
     *
     * @param given the settings it is scheduled with, which override settings in code
     * @throws UnusableSettingException if the settings do not fit together
     */
    public TaskSettings settingsOf(String id, TaskSettings given) {
        if (isNothingSet()) {
            return given.complete();
        }
        List<String> forms = formsOf(id);
        TaskDeclaration declared = methods.first(id);
        TaskSettings found = declared == null ? TaskSettings.NONE : declared.settings();
        Function<String, TaskSettings> asked = overriding;
        for (String form : forms) {
            found = found.overlaidWith(settings.getOrDefault(form, TaskSettings.NONE));
        }
        found = found.overlaidWith(given);
        for (String form : forms) {
            found = asked == null ? found : found.overlaidWith(asked.apply(form));
            found = found.overlaidWith(overrides.getOrDefault(form, TaskSettings.NONE));
        }
        return found.complete();
    }
}
