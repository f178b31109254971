package org.example.modulepath;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Runs a task, a keyed timer and a timeout of Netty's. */
public final class ModuleProgram {

    private ModuleProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println(names());
    }

    /** Returns the names of the modules that have run something. */
    static String names() throws InterruptedException {
        BlockingQueue<Object> done = new LinkedBlockingQueue<>();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        try {
            executor.schedule(() -> done.add(executor), 1, TimeUnit.MILLISECONDS);
            Object task = done.poll(30, TimeUnit.SECONDS);
            KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(
                            executor, (key, due) -> done.add(due))
                    .build();
            timers.set("key", "value", Duration.ofMillis(1));
            Object entry = done.poll(30, TimeUnit.SECONDS);
            WheelNettyTimer timer = WheelNettyTimer.builder(executor).build();
            timer.newTimeout(done::add, 1, TimeUnit.MILLISECONDS);
            Object timeout = done.poll(30, TimeUnit.SECONDS);
            return nameOf(task) + ", " + (entry == null ? null : nameOf(timers)) + ", " + nameOf(timeout);
        } finally {
            executor.close();
        }
    }

    private static String nameOf(Object object) {
        return object.getClass().getModule().getName();
    }
}
