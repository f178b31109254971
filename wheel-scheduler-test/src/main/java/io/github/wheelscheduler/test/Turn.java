package io.github.wheelscheduler.test;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whose turn it is to move time: one thread's, and of the tests that share a context that one's which has moved it and is going on. */
final class Turn {

    /** The tests that are going on, by their threads. */
    private final Map<Thread, String> tests = new HashMap<>();

    /** The thread of the test that has moved time. */
    private @Nullable Thread owner;

    /** In a verb. */
    private @Nullable Thread mover;

    private String verb = "";

    synchronized void begin(String test) {
        tests.put(Thread.currentThread(), test);
    }

    synchronized void end() {
        Thread thread = Thread.currentThread();
        tests.remove(thread);
        if (owner == thread) {
            owner = null;
        }
    }

    /** Runs a verb, unless it is another one's turn. */
    void run(String newVerb, Runnable work) {
        take(newVerb);
        try {
            work.run();
        } finally {
            giveBack();
        }
    }

    /** Looks at what moves, which may be in the middle of a verb of the same thread. */
    <T> T look(String newVerb, Supplier<T> work) {
        if (isMovedByCaller()) {
            return work.get();
        }
        take(newVerb);
        try {
            return work.get();
        } finally {
            giveBack();
        }
    }

    /** Does what moves nothing, unless a test that has moved time, or a verb, is going on. */
    synchronized void runIfFree(Runnable work) {
        if (mover == null && owner == null) {
            work.run();
        }
    }

    private synchronized boolean isMovedByCaller() {
        return mover == Thread.currentThread();
    }

    private synchronized void take(String newVerb) {
        Thread thread = Thread.currentThread();
        String test = tests.get(thread);
        if (test != null && owner != null && owner != thread) {
            throw new IllegalStateException("Tests that share a context must move its time one after the other, but "
                    + test + " called " + newVerb + " while " + tests.get(owner)
                    + ", which has moved it, is going on. Let them run in one thread, or with one @ResourceLock");
        }
        if (mover != null) {
            throw new IllegalStateException("Time must be moved by one thread at a time, and by no task, but " + newVerb
                    + " was called on thread " + thread.getName() + " while " + verb + " is going on on thread "
                    + mover.getName());
        }
        if (test != null) {
            owner = thread;
        }
        mover = thread;
        verb = newVerb;
    }

    private synchronized void giveBack() {
        mover = null;
    }
}
