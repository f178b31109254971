package io.github.wheelscheduler.spring.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ids of tasks that beans bring: the name of the task for the first bean, name and bean for each other one. A bean
 * keeps its id for as long as it is taken; then the next bean gets it. Any thread.
 */
final class BeanIds {

    private static final char BEAN_MARK = '@';

    /** Writers: with the lock held. Readers: any thread. */
    private final Map<String, Takers> byName = new ConcurrentHashMap<>();

    /** The names of the ids that say name and bean. Written and read as those above. */
    private final Map<String, String> names = new ConcurrentHashMap<>();

    /** Is given each form of an id that means no bean any more, without a lock; null for none. */
    private volatile @Nullable Consumer<String> onFree;

    /** The beans that have taken an id of one name. */
    private static final class Takers {

        /** The one whose id is the name; null if it has gone. Written with the lock held, and read without it, too. */
        private volatile @Nullable String first;

        /** The number of times that each bean has taken its id. Guarded by the lock. */
        private final Map<String, Integer> counts = new HashMap<>(2);
    }

    /** Sets the listener for each returned id that was the last of its bean; replaces the previous one. */
    void onFree(Consumer<String> called) {
        onFree = called;
    }

    /** Takes the id of a bean, once more if it has one. */
    synchronized String take(String name, String beanName) {
        Takers takers = byName.get(name);
        if (takers == null) {
            takers = new Takers();
        }
        Integer before = takers.counts.put(beanName, takers.counts.getOrDefault(beanName, 0) + 1);
        if (before == null && takers.first == null) {
            takers.first = beanName;
        }
        byName.put(name, takers);
        String id = idOf(name, beanName, takers);
        if (!id.equals(name)) {
            names.put(id, name);
        }
        return id;
    }

    /** Gives the id of a bean back, once. */
    void giveBack(String name, String beanName) {
        List<String> free = release(name, beanName);
        Consumer<String> told = onFree;
        if (told != null) {
            free.forEach(told);
        }
    }

    /** Returns the forms of the id that mean no bean any more; none if it was taken more than once. */
    private synchronized List<String> release(String name, String beanName) {
        Takers takers = byName.get(name);
        Integer count = takers == null ? null : takers.counts.get(beanName);
        if (takers == null || count == null) {
            return List.of();
        }
        if (count > 1) {
            takers.counts.put(beanName, count - 1);
            return List.of();
        }
        String longForm = longFormOf(name, beanName);
        takers.counts.remove(beanName);
        if (beanName.equals(takers.first)) {
            takers.first = null;
        } else {
            names.remove(longForm);
        }
        if (!takers.counts.isEmpty()) {
            return List.of(longForm);
        }
        byName.remove(name);
        return List.of(name, longForm);
    }

    /** Returns the id that a bean has taken. */
    String of(String name, String beanName) {
        Takers takers = byName.get(name);
        return takers == null ? name : idOf(name, beanName, takers);
    }

    private static String idOf(String name, String beanName, Takers takers) {
        return beanName.equals(takers.first) ? name : longFormOf(name, beanName);
    }

    private static String longFormOf(String name, String beanName) {
        return name + BEAN_MARK + beanName;
    }

    /** Returns the name in an id. */
    String nameOf(String id) {
        return names.getOrDefault(id, id);
    }

    /** Returns an id with the name of its bean; the id if no bean is known. */
    String longFormOf(String id) {
        Takers takers = byName.get(id);
        String first = takers == null ? null : takers.first;
        return first == null ? id : longFormOf(id, first);
    }

    /** Returns how many names and ids are known. */
    int size() {
        return byName.size() + names.size();
    }
}
