package io.github.wheelscheduler.test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time move time, and, of the tests that share a context, the running test that moved it first.
 */
final class Turn {

    /** The tests that are going on, by their threads. */
    private final Map<Thread, Test> tests = new HashMap<>();

    /** To be run as a test begins, on its thread. */
    private final List<Runnable> beginners = new CopyOnWriteArrayList<>();

    /** The thread of the test that has moved time or set its order. */
    private @Nullable Thread owner;

    /** The thread that is in a verb. */
    private @Nullable Thread mover;

    private String verb = "";

    /** Whether the calling thread runs a task. */
    private final BooleanSupplier isRun;

    Turn(BooleanSupplier isRun) {
        this.isRun = isRun;
    }

    /**
     * A test.
     *
     * @param transactions the names that Spring's test framework may give its transaction
     */
    record Test(String name, Set<String> transactions) {

        @Override
        public String toString() {
            return name;
        }
    }

    /** Begins a test on the calling thread, unless it has begun: an extension and a listener may both say so. */
    void begin(Test test) {
        synchronized (this) {
            Test before = tests.put(Thread.currentThread(), test);
            if (before != null && before.transactions().equals(test.transactions())) {
                return;
            }
        }
        beginners.forEach(Runnable::run);
    }

    /** Runs an action as each test begins from now on, on its thread. */
    void atBegin(Runnable action) {
        boolean ignored = beginners.add(action);
    }

    /** Whether a transaction of that name can be that of the test in this thread; of an unknown test, any can. */
    synchronized boolean mayBeOfTest(String transaction) {
        Test test = tests.get(Thread.currentThread());
        return test == null || test.transactions().contains(transaction);
    }

    synchronized void end() {
        Thread thread = Thread.currentThread();
        tests.remove(thread);
        if (owner == thread) {
            owner = null;
        }
    }

    /** Runs a verb, unless another thread or test has the turn. */
    void run(String newVerb, Runnable work) {
        take(newVerb, true);
        try {
            work.run();
        } finally {
            giveBack();
        }
    }

    /**
     * Reads time or tasks, after which another test may still be the first to move time; a verb of the same thread may
     * be going on.
     *
     * @param begin runs before that, unless a verb of the same thread is going on
     */
    <T> T look(String newVerb, Runnable begin, Supplier<T> work) {
        if (isMovedByCaller()) {
            return work.get();
        }
        take(newVerb, false);
        try {
            begin.run();
            return work.get();
        } finally {
            giveBack();
        }
    }

    /** Runs a verb; false, and nothing has happened, if a verb is going on or another test has the turn. */
    boolean tryRun(String newVerb, Runnable work) {
        synchronized (this) {
            if (mover != null || (owner != null && owner != Thread.currentThread())) {
                return false;
            }
            mover = Thread.currentThread();
            verb = newVerb;
        }
        try {
            work.run();
        } finally {
            giveBack();
        }
        return true;
    }

    /** Runs a short action that moves no time, unless another test has moved time, or a verb is going on. */
    synchronized void runIfFree(Runnable work) {
        if (isFree()) {
            work.run();
        }
    }

    /** Whether no verb is going on, and no test has moved time. */
    synchronized boolean isFree() {
        return mover == null && owner == null;
    }

    private synchronized boolean isMovedByCaller() {
        return mover == Thread.currentThread();
    }

    /** Without the lock, it asks the schedulers. */
    private void take(String newVerb, boolean isChange) {
        take(newVerb, isChange, isRun.getAsBoolean());
    }

    private synchronized void take(String newVerb, boolean isChange, boolean isOfRun) {
        Thread thread = Thread.currentThread();
        Test test = tests.get(thread);
        if (test != null && owner != null && owner != thread) {
            throw new IllegalStateException("Tests that share a context must move its time one after the other, but "
                    + test + " called " + newVerb + " while " + tests.get(owner)
                    + ", which has moved it or set its order, is going on. Let them run in one thread, or with one"
                    + " @ResourceLock");
        }
        if (mover != null) {
            throw new IllegalStateException("Time must be moved by one thread at a time, and by no task, but " + newVerb
                    + " was called on thread " + thread.getName() + " while " + verb + " is going on on thread "
                    + mover.getName());
        }
        if (isOfRun) {
            throw new IllegalStateException("Time must be moved by no task, but " + newVerb
                    + " was called from a run, on thread " + thread.getName());
        }
        if (test != null && isChange) {
            owner = thread;
        }
        mover = thread;
        verb = newVerb;
    }

    private synchronized void giveBack() {
        mover = null;
    }
}
