package io.github.wheelscheduler.spring.settings;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the names of beans, and the actions at their end, by identity and weakly: an object is forgotten when it is
 * collected, or {@linkplain #remove removed} before. No method of an object is called. Any thread.
 */
public final class BeanNames {

    private static final int FIRST_LENGTH = 128;

    /** The entries of objects that have been collected. */
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    /** Chains of entries, by the identity of their objects. Its length is a power of two. Guarded by this. */
    private @Nullable Entry[] chains = new Entry[FIRST_LENGTH];

    /** Guarded by this. */
    private int size;

    /** Creates an empty one. */
    public BeanNames() {}

    /** One object. Its fields are guarded by the table. */
    private static final class Entry extends WeakReference<Object> {

        private final int hash;
        private final String name;
        private @Nullable Entry next;

        /** The action at the end of the object; null for none. */
        private @Nullable List<Runnable> ends;

        Entry(Object bean, int hash, String name, ReferenceQueue<Object> collected) {
            super(bean, collected);
            this.hash = hash;
            this.name = name;
        }
    }

    /** The id of a task that an object has scheduled. */
    private record TakenId(BeanIds ids, String name, String beanName) implements Runnable {

        @Override
        public void run() {
            ids.giveBack(name, beanName);
        }
    }

    /** Adds an object with its name; without effect if it is there. */
    public void add(Object bean, String name) {
        forgetCollected();
        int hash = System.identityHashCode(bean);
        synchronized (this) {
            if (find(bean, hash) == null) {
                if (size >= chains.length) {
                    grow();
                }
                Entry entry = new Entry(bean, hash, name, collected);
                int place = hash & (chains.length - 1);
                entry.next = chains[place];
                chains[place] = entry;
                size++;
            }
        }
    }

    /** Returns the name of an object; null if it is not known. */
    public synchronized @Nullable String nameOf(Object bean) {
        Entry entry = find(bean, System.identityHashCode(bean));
        return entry == null ? null : entry.name;
    }

    /**
     * Runs an action once the object is removed or has been collected, on the thread that detects it.
     *
     * @return false if the object is not known
     */
    public synchronized boolean onEnd(Object bean, Runnable end) {
        Entry entry = find(bean, System.identityHashCode(bean));
        if (entry == null) {
            return false;
        }
        List<Runnable> ends = entry.ends == null ? new ArrayList<>(1) : entry.ends;
        boolean ignored = ends.add(end);
        entry.ends = ends;
        return true;
    }

    /** Returns the action of that type at the end of the object; null if there is none. */
    public synchronized <T extends Runnable> @Nullable T endOf(Object bean, Class<T> type) {
        Entry entry = find(bean, System.identityHashCode(bean));
        if (entry != null && entry.ends != null) {
            for (Runnable end : entry.ends) {
                if (type.isInstance(end)) {
                    return type.cast(end);
                }
            }
        }
        return null;
    }

    /** Removes an object, and runs its action. */
    public void remove(Object bean) {
        List<Runnable> ends = null;
        synchronized (this) {
            Entry entry = find(bean, System.identityHashCode(bean));
            if (entry != null) {
                ends = unlink(entry);
            }
        }
        end(ends);
    }

    /** Returns how many objects are known, without collected ones. */
    public int size() {
        forgetCollected();
        synchronized (this) {
            return size;
        }
    }

    /**
     * Returns the id of a task of that name that an object has scheduled, and takes it for the object; the name if it
     * is no bean.
     */
    String takeId(Object owner, String name, BeanIds ids) {
        String beanName;
        synchronized (this) {
            Entry entry = find(owner, System.identityHashCode(owner));
            if (entry == null) {
                return name;
            }
            beanName = entry.name;
            if (hasTaken(entry, name, ids)) {
                return ids.of(name, beanName);
            }
        }
        forgetCollected();
        TakenId taken = new TakenId(ids, name, beanName);
        String id = ids.take(name, beanName);
        boolean isKept = false;
        try {
            isKept = onEnd(owner, taken);
        } finally {
            if (!isKept) {
                taken.run();
            }
        }
        return id;
    }

    private static boolean hasTaken(Entry entry, String name, BeanIds ids) {
        List<Runnable> ends = entry.ends;
        if (ends != null) {
            for (int i = 0; i < ends.size(); i++) {
                if (ends.get(i) instanceof TakenId taken && taken.ids == ids && taken.name.equals(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Removes collected objects, and runs their actions without a lock. */
    void forgetCollected() {
        Reference<?> next = collected.poll();
        while (next != null) {
            List<Runnable> ends;
            synchronized (this) {
                ends = unlink((Entry) next);
            }
            end(ends);
            next = collected.poll();
        }
    }

    private static void end(@Nullable List<Runnable> ends) {
        if (ends != null) {
            ends.forEach(Runnable::run);
        }
    }

    // With the lock held.

    private @Nullable Entry find(Object bean, int hash) {
        Entry entry = chains[hash & (chains.length - 1)];
        while (entry != null && !(entry.hash == hash && entry.refersTo(bean))) {
            entry = entry.next;
        }
        return entry;
    }

    /** Removes an entry, and returns its action; null if there is none, or the entry has already been removed. */
    private @Nullable List<Runnable> unlink(Entry entry) {
        int place = entry.hash & (chains.length - 1);
        Entry before = null;
        for (Entry seen = chains[place]; seen != null; seen = seen.next) {
            if (seen == entry) {
                if (before == null) {
                    chains[place] = entry.next;
                } else {
                    before.next = entry.next;
                }
                size--;
                return entry.ends;
            }
            before = seen;
        }
        return null;
    }

    private void grow() {
        @Nullable Entry[] longer = new Entry[2 * chains.length];
        for (Entry chain : chains) {
            Entry entry = chain;
            while (entry != null) {
                Entry next = entry.next;
                int place = entry.hash & (longer.length - 1);
                entry.next = longer[place];
                longer[place] = entry;
                entry = next;
            }
        }
        chains = longer;
    }
}
