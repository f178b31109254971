package io.github.wheelscheduler.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The ways to run a task once whose future must all behave alike. */
enum OneShot {
    SUBMITTED {
        @Override
        <V> Future<V> start(ScheduledExecutorService on, Callable<V> task) {
            return on.submit(task);
        }
    },
    SCHEDULED_AT_ONCE {
        @Override
        <V> Future<V> start(ScheduledExecutorService on, Callable<V> task) {
            return on.schedule(task, 0, TimeUnit.NANOSECONDS);
        }
    },
    SCHEDULED_SOON {
        @Override
        <V> Future<V> start(ScheduledExecutorService on, Callable<V> task) {
            return on.schedule(task, 5, TimeUnit.MILLISECONDS);
        }
    };

    abstract <V> Future<V> start(ScheduledExecutorService on, Callable<V> task);
}
