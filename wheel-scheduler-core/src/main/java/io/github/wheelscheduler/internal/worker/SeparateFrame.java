package io.github.wheelscheduler.internal.worker;

/**
 * Calls what may allocate so that it has a frame of its own, apart from that of its caller, also where it has been compiled.
 *
 * <p>Compiled code does without objects that no other code sees. To turn such a frame back into interpreted ones, the virtual machine makes
 * them after all; if there is no memory for that, it throws an {@link OutOfMemoryError} which skips all handlers of that frame, those of the
 * methods in it that have become a part of their caller included. So handlers that must not be skipped stand in a frame that has no objects.
 *
 * <p>It is a {@code Throwable}, though never thrown, because HotSpot's compiler makes no method of such a class a part of code that is not one's.
 */
final class SeparateFrame extends Error {

    private static final long serialVersionUID = 1;

    private SeparateFrame() {}

    /** Runs the user's code, or what leads to it. */
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
