package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
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

    private static final int MOST_SEEN = 1_000;

    /** By what Spring's wrapper says. */
    private final Map<String, List<TaskDeclaration>> declarations = new ConcurrentHashMap<>();

    /** The first method of each id. */
    private final Map<String, TaskDeclaration> firstOfId = new ConcurrentHashMap<>();

    private final Map<String, TaskSettings> settings = new ConcurrentHashMap<>();
    private final Map<String, TaskSettings> overrides = new ConcurrentHashMap<>();

    /** Those of the overrides that some task has gone by. */
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    /** Some ids that tasks had, to be named where another one was meant. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    // Ids of annotated methods

    /**
     * Makes an annotated method known, before Spring schedules it. Once more for the same method and class has no effect.
     *
     * @throws IllegalStateException if another method has that id
     */
    public void declare(TaskDeclaration declaration) {
        TaskDeclaration first = firstOfId.putIfAbsent(declaration.id(), declaration);
        if (first != null
                && (first.isIdGiven() || declaration.isIdGiven())
                && !first.method().equals(declaration.method())) {
            throw new IllegalStateException("The id of a task must be that of one method, but " + declaration.id()
                    + " was given to " + textOf(first.method()) + " and to " + textOf(declaration.method()));
        }
        List<TaskDeclaration> ignored = declarations.merge(declaration.text(), List.of(declaration), TaskCatalog::join);
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

    /** Returns the method that was declared first with that id; null if none was. */
    public @Nullable TaskDeclaration declaration(String id) {
        return firstOfId.get(id);
    }

    /** Returns the first method of each id, in no order. */
    public Collection<TaskDeclaration> declarations() {
        return List.copyOf(firstOfId.values());
    }

    // Settings

    /** Sets what holds for tasks of that id, in code, over what annotations say; in place of what was set here before. */
    public void set(String id, TaskSettings taskSettings) {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(taskSettings, "taskSettings must not be null");
        settings.put(id, taskSettings);
    }

    /** Takes over what was set in code in another catalog, but for ids that are set here. */
    public void setAllOf(TaskCatalog other) {
        other.settings.forEach(settings::putIfAbsent);
    }

    /**
     * Sets what holds for tasks of that id whatever code says.
     *
     * @param id also without anything but small letters and digits, which is how it comes out of an environment variable; then it goes over
     *     what is set for the id as it is written
     */
    public void override(String id, TaskSettings taskSettings) {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(taskSettings, "taskSettings must not be null");
        overrides.put(id, taskSettings);
    }

    /**
     * Returns what holds for a task of that id that is scheduled now.
     *
     * @param given what it is scheduled with, which goes over what is set in code
     */
    public TaskSettings settingsOf(String id, TaskSettings given) {
        TaskDeclaration declared = firstOfId.get(id);
        TaskSettings inCode = declared == null ? TaskSettings.NONE : declared.settings();
        if (!settings.isEmpty()) {
            inCode = inCode.overlaidWith(settings.getOrDefault(id, TaskSettings.NONE));
        }
        inCode = inCode.overlaidWith(given);
        if (overrides.isEmpty()) {
            return inCode;
        }
        if (seen.size() < MOST_SEEN) {
            boolean ignored = seen.add(id);
        }
        String uniform = uniform(id);
        TaskSettings asWritten = inCode.overlaidWith(overriding(id));
        return uniform.equals(id) ? asWritten : asWritten.overlaidWith(overriding(uniform));
    }

    private TaskSettings overriding(String id) {
        TaskSettings found = overrides.get(id);
        if (found == null) {
            return TaskSettings.NONE;
        }
        boolean ignored = used.add(id);
        return found;
    }

    private static String uniform(String id) {
        StringBuilder uniform = new StringBuilder(id.length());
        for (int i = 0; i < id.length(); i++) {
            char letter = Character.toLowerCase(id.charAt(i));
            if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) {
                uniform.append(letter);
            }
        }
        return uniform.length() == id.length() && uniform.indexOf(id) == 0 ? id : uniform.toString();
    }

    // Typing errors

    /** Returns the ids of {@linkplain #override overriding} settings that no task has had, and nobody has declared; in order. */
    public Collection<String> unknownOverrides() {
        Set<String> unknown = new TreeSet<>(overrides.keySet());
        boolean ignored = unknown.removeAll(used);
        ignored = unknown.removeAll(firstOfId.keySet());
        return unknown.stream()
                .filter(id -> firstOfId.keySet().stream().noneMatch(known -> id.equals(uniform(known))))
                .toList();
    }

    private Stream<String> known() {
        return Stream.concat(firstOfId.keySet().stream(), seen.stream());
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
