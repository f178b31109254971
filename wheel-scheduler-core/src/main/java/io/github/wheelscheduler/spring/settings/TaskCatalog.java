package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is known of tasks before they are scheduled: the ids of annotated methods, and the settings of each id. One for all schedulers of
 * an application. Any thread.
 *
 * <p>Settings come in two layers. Below are those of the code: by annotation, or by {@link #set}. Over them are those of whoever
 * operates the application, by {@link #override}. What is set for an id holds for every schedule of it, from when the task is next scheduled
 * on: of all {@code Jobs.poll}, {@code Jobs.poll~2} and so on, which share the id {@code Jobs.poll}.
 */
public final class TaskCatalog {

    private static final Pattern NOT_UNIFORM = Pattern.compile("[^a-z0-9]");

    /** By what Spring's wrapper says. */
    private final Map<String, List<TaskDeclaration>> declarations = new ConcurrentHashMap<>();

    /** Given ids, and what they were given to. */
    private final Map<String, TaskDeclaration> givenIds = new ConcurrentHashMap<>();

    private final Map<String, TaskSettings> settings = new ConcurrentHashMap<>();
    private final Map<String, TaskSettings> overrides = new ConcurrentHashMap<>();

    /** Ids that somebody has overridden in the way of environment variables. */
    private final Map<String, String> uniformOverrides = new ConcurrentHashMap<>();

    private final Set<String> declared = ConcurrentHashMap.newKeySet();

    /** Ids that tasks had. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    // Ids of annotated methods

    /**
     * Makes an annotated method known, before Spring schedules it. Once more for the same method and class has no effect.
     *
     * @throws IllegalStateException if another method has that id
     */
    public void declare(TaskDeclaration declaration) {
        if (declaration.isIdGiven()) {
            TaskDeclaration other = givenIds.putIfAbsent(declaration.id(), declaration);
            if (other != null && !other.method().equals(declaration.method())) {
                throw new IllegalStateException("The id of a task must be that of one method, but " + declaration.id()
                        + " was given to " + textOf(other.method()) + " and to " + textOf(declaration.method()));
            }
        }
        List<TaskDeclaration> ignored = declarations.merge(declaration.text(), List.of(declaration), TaskCatalog::join);
        boolean isNew = declared.add(declaration.id());
        if (isNew && !declaration.settings().isNothing()) {
            addBelow(declaration.id(), declaration.settings());
        }
    }

    private void addBelow(String id, TaskSettings annotated) {
        TaskSettings ignored = settings.merge(id, annotated, (inCode, below) -> below.overlaidWith(inCode));
    }

    private static List<TaskDeclaration> join(List<TaskDeclaration> known, List<TaskDeclaration> more) {
        if (known.containsAll(more)) {
            return known;
        }
        List<TaskDeclaration> joined = new ArrayList<>(known);
        joined.addAll(more);
        return List.copyOf(joined);
    }

    private static String textOf(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    /** Returns the id of the method that Spring's wrapper says to run; null if none is known. */
    public @Nullable String idOf(Object wrapper, String text) {
        List<TaskDeclaration> known = declarations.get(text);
        if (known == null) {
            return null;
        }
        String first = known.get(0).id();
        return known.stream().allMatch(one -> one.id().equals(first)) ? first : HiddenMethod.idOf(wrapper, known);
    }

    /** Whether nothing is known at all. */
    public boolean isEmpty() {
        return declarations.isEmpty() && settings.isEmpty() && overrides.isEmpty();
    }

    // Settings

    /** Sets what holds for tasks of that id, in code; in place of what was set before, also by annotation. */
    public void set(String id, TaskSettings taskSettings) {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(taskSettings, "taskSettings must not be null");
        settings.put(id, taskSettings);
    }

    /**
     * Sets what holds for tasks of that id whatever code says.
     *
     * @param id also without anything but small letters and digits, which is how it comes out of an environment variable
     */
    public void override(String id, TaskSettings taskSettings) {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(taskSettings, "taskSettings must not be null");
        overrides.put(id, taskSettings);
        if (!NOT_UNIFORM.matcher(id).find()) {
            uniformOverrides.put(id, id);
        }
    }

    /**
     * Returns what holds for a task of that id that is scheduled now.
     *
     * @param given what it is scheduled with, which goes over what is set in code
     */
    public TaskSettings settingsOf(String id, TaskSettings given) {
        if (settings.isEmpty() && overrides.isEmpty()) {
            return given;
        }
        boolean ignored = seen.add(id);
        TaskSettings inCode = settings.getOrDefault(id, TaskSettings.NONE).overlaidWith(given);
        String overriding = overridingId(id);
        return overriding == null ? inCode : inCode.overlaidWith(overrides.getOrDefault(overriding, TaskSettings.NONE));
    }

    private @Nullable String overridingId(String id) {
        if (overrides.containsKey(id) || uniformOverrides.isEmpty()) {
            return overrides.containsKey(id) ? id : null;
        }
        return uniformOverrides.get(uniform(id));
    }

    private static String uniform(String id) {
        return NOT_UNIFORM.matcher(id.toLowerCase(Locale.ROOT)).replaceAll("");
    }

    // Typing errors

    /** Returns the ids of {@linkplain #override overriding} settings that no task has had, and nobody has declared; in order. */
    public Collection<String> unknownOverrides() {
        Set<String> unknown = new TreeSet<>(overrides.keySet());
        known().forEach(id -> {
            boolean ignored = unknown.remove(id);
            ignored = unknown.remove(uniform(id));
        });
        return unknown;
    }

    private Stream<String> known() {
        return Stream.concat(declared.stream(), seen.stream());
    }

    /** Returns the known id that is most like that one; null if none is known. */
    public @Nullable String nearestTo(String id) {
        return known().min((one, other) -> Integer.compare(distance(id, one), distance(id, other)))
                .orElse(null);
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
