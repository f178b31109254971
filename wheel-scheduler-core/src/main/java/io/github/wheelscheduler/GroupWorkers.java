package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.ElasticPool;
import io.github.wheelscheduler.worker.Starter;
import io.github.wheelscheduler.worker.Workers;
import java.util.concurrent.ThreadFactory;

/** Makes the workers of a group: none has a thread while the group is idle. */
final class GroupWorkers {

    private GroupWorkers() {}

    /** Creates the workers that run the group's tasks. */
    static Workers of(ExecutorSettings settings, Starter starter, Workers.Listener listener) {
        ThreadFactory perRun = settings.threadPerRun();
        return ElasticPool.onDemand(
                perRun != null ? withLoaderOfCaller(perRun) : settings.threadFactory(),
                starter,
                settings.maxWorkers(),
                settings.workerKeepAliveNanos(),
                settings.clock()::nanoTime,
                listener,
                settings.hooks(),
                perRun != null);
    }

    /** Creates the worker that ends what a full group refuses. */
    static Workers ofRefusals(ExecutorSettings settings, Starter starter, Runnable whenEnded) {
        return ElasticPool.onDemand(
                settings.threadFactory(),
                starter,
                1,
                settings.workerKeepAliveNanos(),
                settings.clock()::nanoTime,
                new RefusalsListener(whenEnded),
                null,
                false);
    }

    /** Threads would have the context class loader of whoever happens to start them. */
    private static ThreadFactory withLoaderOfCaller(ThreadFactory factory) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return run -> {
            Thread thread = factory.newThread(run);
            if (thread != null
                    && thread.getContextClassLoader() == Thread.currentThread().getContextClassLoader()) {
                thread.setContextClassLoader(loader);
            }
            return thread;
        };
    }

    private record RefusalsListener(Runnable whenEnded) implements Workers.Listener {

        @Override
        public void wentIdle() {
            whenEnded.run();
        }

        @Override
        public void ended() {
            whenEnded.run();
        }

        @Override
        public boolean touch(Runnable run) {
            return false;
        }

        @Override
        public boolean isOver(Runnable run) {
            return false;
        }

        @Override
        public void escaped(Runnable run, Throwable failure) {
            if (run instanceof GroupRefusals.Refused refused) {
                refused.endIfLeft();
            }
        }

        @Override
        public long starting(Runnable run, long expiredNanos) {
            return 0;
        }
    }
}
