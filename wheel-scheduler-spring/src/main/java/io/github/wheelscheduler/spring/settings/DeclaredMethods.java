package io.github.wheelscheduler.spring.settings;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The annotated methods of the beans that are there, each once for all beans of a name. Any thread. */
final class DeclaredMethods {

    private final BeanIds ids;

    /** By the name of their tasks, and by all that is the same for all beans of a name. Guarded by this. */
    private final Map<String, Map<TaskDeclaration, Living>> declared = new LinkedHashMap<>();

    // Writers: with the lock held. Readers: any thread. The lists do not change.

    /** By the text of Spring's wrapper. */
    private final Map<String, List<TaskDeclaration>> byText = new ConcurrentHashMap<>();

    private final Map<String, List<TaskDeclaration>> byId = new ConcurrentHashMap<>();

    /** A method. Guarded by the lock. */
    private static final class Living {

        /** With its id. */
        private TaskDeclaration last;

        private int count;

        Living(TaskDeclaration last) {
            this.last = last;
        }
    }

    DeclaredMethods(BeanIds ids) {
        this.ids = ids;
    }

    /** Adds a method; once more for a bean of the same name, whose settings go over those before. */
    synchronized void add(TaskDeclaration declaration) {
        String name = declaration.id();
        Map<TaskDeclaration, Living> namesakes = declared.get(name);
        if (namesakes != null) {
            refuseOther(namesakes.values().iterator().next().last, declaration);
        }
        List<TaskDeclaration> sameId = byId.get(name);
        if (sameId != null) {
            refuseOther(sameId.get(0), declaration);
        }
        TaskDeclaration key = declaration.with(name, TaskSettings.NONE);
        Living known = namesakes == null ? null : namesakes.get(key);
        if (known == null) {
            TaskDeclaration added = declaration.with(ids.take(name, declaration.beanName()), declaration.settings());
            known = new Living(added);
            if (namesakes == null) {
                namesakes = new LinkedHashMap<>(2);
                declared.put(name, namesakes);
            }
            namesakes.put(key, known);
            replace(null, added);
        } else {
            TaskDeclaration before = known.last;
            TaskDeclaration after = before.with(before.id(), declaration.settings());
            if (!after.equals(before)) {
                known.last = after;
                replace(before, after);
            }
        }
        known.count++;
    }

    private static void refuseOther(TaskDeclaration first, TaskDeclaration declaration) {
        if ((first.isIdGiven() || declaration.isIdGiven()) && !first.method().equals(declaration.method())) {
            throw new IllegalStateException("The id of a task must belong to one method, but " + declaration.id()
                    + " belongs to " + textOf(first.method()) + " and to " + textOf(declaration.method()));
        }
    }

    private static String textOf(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    /** Takes a method away that was added, once for each time. */
    void remove(TaskDeclaration declaration) {
        if (removeLast(declaration)) {
            ids.giveBack(declaration.id(), declaration.beanName());
        }
    }

    /** Returns whether the method has been added no more often than it has been removed. */
    private synchronized boolean removeLast(TaskDeclaration declaration) {
        String name = declaration.id();
        Map<TaskDeclaration, Living> namesakes = declared.get(name);
        TaskDeclaration key = declaration.with(name, TaskSettings.NONE);
        Living known = namesakes == null ? null : namesakes.get(key);
        if (namesakes == null || known == null || --known.count > 0) {
            return false;
        }
        TaskDeclaration last = known.last;
        namesakes.remove(key);
        if (namesakes.isEmpty()) {
            declared.remove(name);
        }
        replace(last, null);
        return true;
    }

    /** Puts a method in the place of another one with its text and id, or at the end; null for none. */
    private void replace(@Nullable TaskDeclaration before, @Nullable TaskDeclaration after) {
        TaskDeclaration any = after == null ? Objects.requireNonNull(before) : after;
        replace(byText, any.text(), before, after);
        replace(byId, any.id(), before, after);
    }

    private static void replace(
            Map<String, List<TaskDeclaration>> lists,
            String key,
            @Nullable TaskDeclaration before,
            @Nullable TaskDeclaration after) {
        List<TaskDeclaration> changed = new ArrayList<>(lists.getOrDefault(key, List.of()));
        int place = before == null ? -1 : changed.indexOf(before);
        if (place >= 0) {
            changed.remove(place);
        }
        if (after != null) {
            changed.add(place < 0 ? changed.size() : place, after);
        }
        if (changed.isEmpty()) {
            lists.remove(key);
        } else {
            lists.put(key, List.copyOf(changed));
        }
    }

    /** Returns the methods that Spring's wrapper may mean; empty if there are none. */
    List<TaskDeclaration> byText(String text) {
        return byText.getOrDefault(text, List.of());
    }

    /** Returns the first method of that id; null if there is none. */
    @Nullable
    TaskDeclaration first(String id) {
        List<TaskDeclaration> found = byId.get(id);
        return found == null ? null : found.get(0);
    }

    /** Returns the first method of each id, in no order. */
    Collection<TaskDeclaration> firstOfEach() {
        return byId.values().stream().map(found -> found.get(0)).toList();
    }

    Set<String> ids() {
        return byId.keySet();
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    int size() {
        return byText.size() + byId.size();
    }
}
