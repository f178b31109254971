package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.autoconfigure.NamedSettings.Layer;
import io.github.wheelscheduler.autoconfigure.NamedSettings.Written;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.util.function.SingletonSupplier;

/**
 * The properties of single tasks, and the complaints about properties that mean no task, or no setting. Sources go over
 * each other as they do for Boot. Within one, an id that is spelled as the task's goes over one that differs by case,
 * dots or dashes.
 *
 * <p>An invalid property fails the start before the first annotated method is scheduled. For environment variables,
 * which platforms set, too, it only logs a warning. An id that nobody has may come later, so nothing is said of it
 * before the application is ready.
 */
final class TaskOverrides
        implements Function<String, TaskSettings>,
                SmartInitializingSingleton,
                ApplicationListener<ApplicationReadyEvent> {

    static final String PROPERTY = WheelSchedulerProperties.PREFIX + ".tasks";

    private static final Log logger = LogFactory.getLog(TaskOverrides.class);

    /** The number of ids of current and former tasks that are remembered, beside ids that properties may mean. */
    private static final int MOST_KNOWN = 1_000;

    /** The number of messages that suggest the closest id. */
    private static final int MOST_GUESSES = 20;

    private static final String NO_EFFECT = ". It has no effect";

    private final NamedSettings tasks;
    private final NamedSettings groups;
    private final ObjectProvider<TaskCatalog> catalog;
    private final WheelSchedulerProperties properties;
    private final ConfigurableListableBeanFactory beanFactory;

    /** The properties of each source, in the order of sources; or a source that has to be asked. */
    private final List<Source> sources = new ArrayList<>();

    /** The ids of tasks by their normalized spelling. */
    private final Map<String, Set<String>> known = new ConcurrentHashMap<>();

    /** The names in properties that a task has gone by, or of which all has been said. */
    private final Set<Named> settled = ConcurrentHashMap.newKeySet();

    private volatile boolean isChecked;

    /** Of the thread that starts the application. */
    private int guesses;

    /** The properties of a source for a name. Two of them are never equal. */
    private static final class Named {

        private final String name;
        private final Map<String, Written> written;

        /** Fails each time if a value cannot be used. */
        private final Supplier<TaskSettings> settings;

        Named(String name, Map<String, Written> written, Supplier<TaskSettings> settings) {
            this.name = name;
            this.written = written;
            this.settings = SingletonSupplier.of(settings);
        }

        Map.Entry<String, Written> first() {
            return written.entrySet().iterator().next();
        }

        boolean isOfEnvironment() {
            return first().getValue().isOfEnvironment();
        }
    }

    /** The properties of one source, by the part that all spellings of a name share. */
    private record Source(
            Map<String, List<Named>> named, @Nullable PropertySource<?> asked) {}

    TaskOverrides(
            Environment environment,
            ObjectProvider<TaskCatalog> catalog,
            WheelSchedulerProperties properties,
            ConfigurableListableBeanFactory beanFactory) {
        this.tasks = new NamedSettings(environment, PROPERTY, TaskProperties.class);
        this.groups = new NamedSettings(environment, GroupBeans.PROPERTY, GroupProperties.class);
        this.catalog = catalog;
        this.properties = properties;
        this.beanFactory = beanFactory;
        for (Layer layer : tasks.layers()) {
            Map<String, List<Named>> named = new ConcurrentHashMap<>();
            layer.named().forEach((name, written) -> {
                Named one = new Named(name, written, () -> settingsOf(name, written));
                if (!one.isOfEnvironment()) {
                    TaskSettings ignored = one.settings.get();
                }
                named.computeIfAbsent(NamedSettings.uniform(name), unused -> new ArrayList<>())
                        .add(one);
            });
            sources.add(new Source(named, layer.asked()));
        }
    }

    private TaskSettings settingsOf(String name, Map<String, Written> written) {
        return naming(
                name,
                () -> TaskSettings.of((setting, type) -> {
                    Object value = tasks.bind(name, written, setting, type);
                    return value instanceof String text ? text.trim() : value;
                }));
    }

    /** Returns settings; an exception that says which one cannot be used names the property. */
    private TaskSettings naming(String name, Supplier<TaskSettings> settings) {
        try {
            return settings.get();
        } catch (UnusableSettingException ex) {
            // The properties of the other form of an id have been named.
            throw ex.setting().startsWith(PROPERTY) ? ex : ex.named(tasks.textOf(name) + "." + ex.setting());
        }
    }

    /** Returns the settings of an id in properties; the ids known so far decide about another spelling. */
    @Override
    public TaskSettings apply(String id) {
        TaskSettings found = TaskSettings.NONE;
        if (sources.isEmpty()) {
            return found;
        }
        know(id);
        String uniform = NamedSettings.uniform(id);
        for (Source source : sources) {
            if (source.asked != null) {
                found = found.overlaidWith(settingsOf(id, tasks.ask(source.asked, id)));
            }
            List<Named> all = source.named.getOrDefault(uniform, List.of());
            for (Named named : all) {
                found = !named.name.equals(id) && isFor(id, named) ? found.overlaidWith(use(named)) : found;
            }
            for (Named named : all) {
                found = named.name.equals(id) ? found.overlaidWith(use(named)) : found;
            }
        }
        return found;
    }

    /** Returns which property says a setting of an id, and where that stands; null if none does. */
    @Nullable
    String sourceOf(String id, String setting) {
        Written found = null;
        for (Source source : sources) {
            List<Map<String, Written>> all = new ArrayList<>();
            if (source.asked != null) {
                boolean ignored = all.add(tasks.ask(source.asked, id));
            }
            List<Named> named = source.named.getOrDefault(NamedSettings.uniform(id), List.of());
            named.stream().filter(one -> !one.name.equals(id) && isFor(id, one)).forEach(one -> all.add(one.written));
            named.stream().filter(one -> one.name.equals(id)).forEach(one -> all.add(one.written));
            for (Map<String, Written> written : all) {
                Written over = written.get(setting);
                found = over == null ? found : over;
            }
        }
        return found == null ? null : "property " + found.place();
    }

    private TaskSettings use(Named named) {
        boolean ignored = settled.add(named);
        return named.settings.get();
    }

    /** Whether a name that is spelled in another way means that id alone. */
    private boolean isFor(String id, Named named) {
        Set<String> all = idsLike(named.name);
        if (all.contains(named.name) || all.isEmpty()) {
            return false;
        }
        if (all.size() == 1 && all.contains(id)) {
            return true;
        }
        if (isChecked && settled.add(named)) {
            logger.warn(ambiguity(named) + NO_EFFECT);
        }
        return false;
    }

    /** Remembers an id if a property may mean it, or as one of a number that messages suggest. */
    private void know(String id) {
        String uniform = NamedSettings.uniform(id);
        if (!uniform.isEmpty()
                && (known.size() < MOST_KNOWN
                        || sources.stream().anyMatch(source -> source.named.containsKey(uniform)))) {
            Set<String> ids = known.computeIfAbsent(uniform, unused -> ConcurrentHashMap.newKeySet());
            boolean ignored = ids.size() < MOST_KNOWN && ids.add(id);
        }
    }

    /** Forgets an id that no task has any more. The properties stay, for the next task of that id. */
    void forget(String id) {
        Set<String> unusedAnswer = known.computeIfPresent(NamedSettings.uniform(id), (unused, ids) -> {
            boolean ignored = ids.remove(id);
            return ids.isEmpty() ? null : ids;
        });
    }

    /** Returns how many ids are remembered, other spellings of one apart. */
    int size() {
        return known.size();
    }

    private Set<String> idsLike(String name) {
        return known.getOrDefault(NamedSettings.uniform(name), Set.of());
    }

    /** Returns the ids in which the nearest one is looked for: none after some messages, as that takes long. */
    private Collection<String> knownIds() {
        if (++guesses > MOST_GUESSES) {
            return Set.of();
        }
        Set<String> all = new TreeSet<>();
        known.values().forEach(all::addAll);
        return all;
    }

    // Complaints

    @Override
    public void afterSingletonsInstantiated() {
        if (sources.isEmpty()
                && tasks.unmatched().isEmpty()
                && groups.unmatched().isEmpty()) {
            return;
        }
        TaskCatalog known = catalog.getObject();
        known.ids().forEach(this::know);
        Complaints unmatched = new Complaints(properties.getUnknownSettings());
        tasks.unmatched().forEach(one -> unmatched.add(one, tasks.explain(one, knownIds()), NO_EFFECT));
        groups.unmatched()
                .forEach(one -> unmatched.add(one, groups.explain(one, GroupProperties.namesIn(groups)), NO_EFFECT));
        unmatched.end("Write them as named above, or remove them. To accept settings of a newer release, set "
                + WheelSchedulerProperties.PREFIX + ".unknown-settings=warn.");
        checkAmbiguities();
        for (TaskDeclaration declaration : known.declarations()) {
            check(declaration, known);
        }
        isChecked = true;
    }

    /** Logs faults of properties or, if they are to fail the start, gathers them until all are found. */
    private static final class Complaints {

        private final OnUnknown reaction;
        private final List<String> wrong = new ArrayList<>();

        Complaints(OnUnknown reaction) {
            this.reaction = reaction;
        }

        void add(Written property, String text, String effect) {
            if (reaction == OnUnknown.FAIL && !property.isOfEnvironment()) {
                wrong.add(text);
            } else {
                logger.warn(text + effect);
            }
        }

        /** Stops the start if anything has been gathered. */
        void end(String action) {
            if (!wrong.isEmpty()) {
                throw UnusableSetupException.of(wrong, action);
            }
        }
    }

    private void checkAmbiguities() {
        Complaints ambiguous = new Complaints(OnUnknown.FAIL);
        for (Named named : all()) {
            Set<String> ids = idsLike(named.name);
            if (ids.size() > 1 && !ids.contains(named.name) && settled.add(named)) {
                ambiguous.add(named.first().getValue(), ambiguity(named), NO_EFFECT);
            }
        }
        ambiguous.end("Write the id as it is given to the task.");
    }

    private List<Named> all() {
        return sources.stream()
                .flatMap(source -> source.named.values().stream().flatMap(List::stream))
                .toList();
    }

    private String ambiguity(Named named) {
        List<String> ids = idsLike(named.name).stream().sorted().toList();
        Map.Entry<String, Written> first = named.first();
        return first.getValue().text() + " matches two ids of tasks, '" + ids.get(0) + "' and '" + ids.get(1)
                + "'. For the first, write " + tasks.textOf(ids.get(0), first.getKey(), false);
    }

    /** Checks that the settings of a method can be used, and have an effect. */
    private void check(TaskDeclaration declaration, TaskCatalog known) {
        String id = declaration.id();
        TaskSettings set = apply(id);
        if (set.isNothing()) {
            return;
        }
        TaskSettings ignored = naming(id, () -> known.settingsOf(id, TaskSettings.NONE));
        String cron = set.cron();
        boolean hasSchedule =
                (cron != null && !cron.equals("-")) || set.fixedRate() != null || set.fixedDelay() != null;
        if (hasSchedule && DisabledCron.isOnly(declaration.method(), beanFactory)) {
            String setting = cron != null ? "cron" : set.fixedRate() != null ? "fixed-rate" : "fixed-delay";
            logger.warn("The property '" + tasks.textOf(id, setting, false) + "' has no effect: " + id
                    + " has a cron of '-' in code, so that Spring never schedules it. Give it a cron there, with "
                    + "@WheelTask(enabled = \"false\"), and set " + tasks.textOf(id, "enabled", false)
                    + "=true as well");
        }
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        if (sources.isEmpty()) {
            return;
        }
        List<Named> strange = all().stream()
                .filter(named -> idsLike(named.name).isEmpty() && !isSettledAbove(named.name) && settled.add(named))
                .toList();
        if (!strange.isEmpty() && !beanFactory.getBean(AnnotatedTasks.class).looksAtAll()) {
            logger.info("The properties " + PROPERTY
                    + ".* have no effect on @Scheduled methods, as these do not run on the wheel");
            return;
        }
        Complaints unknown = new Complaints(properties.getUnknownTasks());
        strange.forEach(named -> unknown.add(named.first().getValue(), unknown(named), ""));
        unknown.end("Write the id of a task, or remove them. To accept ids of tasks that are scheduled later, set "
                + WheelSchedulerProperties.PREFIX + ".unknown-tasks=warn.");
    }

    /** Whether a parent context, which mostly has the same properties, has used that name, or complained about it. */
    private boolean isSettledAbove(String name) {
        BeanFactory parent = beanFactory.getParentBeanFactory();
        TaskOverrides above = parent == null
                ? null
                : parent.getBeanProvider(TaskOverrides.class).getIfAvailable();
        return above != null
                && (above.settled.stream().anyMatch(named -> named.name.equals(name)) || above.isSettledAbove(name));
    }

    private String unknown(Named named) {
        Map.Entry<String, Written> first = named.first();
        String nearest = NamedSettings.nearest(named.name, knownIds());
        return first.getValue().text() + " has no effect so far, as no task has the id '" + named.name + "'"
                + (nearest == null
                        ? ""
                        : ". The closest match: '" + nearest + "', written "
                                + tasks.textOf(nearest, first.getKey(), named.isOfEnvironment()));
    }
}
