package io.github.wheelscheduler.internal.worker;

/**
 * Calls code that may allocate in a frame of its own, separate from its caller's even when compiled.
 *
 * <p>Compiled code does without objects that no other code sees. When the virtual machine deoptimizes such a frame, it
 * allocates those objects after all. Without memory for that, it throws an {@link OutOfMemoryError} that skips all
 * handlers of the frame, including those of inlined methods. So handlers that must not be skipped stand in a frame that
 * has no objects.
 *
 * <p>It is a {@code Throwable}, though never thrown, because HotSpot's compiler makes no method of such a class a part
 * of code that is not one's.
 */
final class SeparateFrame extends Error {

    private static final long serialVersionUID = 1;

    private SeparateFrame() {}

    /** Runs the user's code, or code that leads to it. */
    static void run(Runnable run) {
        run.run();
    }

    /** Lets the pool work on this thread, which other code may have started. */
    static void work(ElasticPool pool, Worker worker) {
        pool.work(worker);
    }

    /** Lets the workers execute the run on this thread, which is in other code. */
    static void execute(ExecutorWorkers workers, ExecutorRun run) {
        workers.execute(run);
    }

    /** Tells the listener, and so perhaps the user's code. */
    static long starting(Workers.Listener listener, Runnable run, long expiredNanos) {
        return listener.starting(run, expiredNanos);
    }
}
