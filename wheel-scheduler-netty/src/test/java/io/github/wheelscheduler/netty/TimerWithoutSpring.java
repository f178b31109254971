package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timeout;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program with a timeout, which says what has come of it. */
public final class TimerWithoutSpring implements Callable<String> {

    @Override
    public String call() throws Exception {
        requireNoSpring();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        WheelNettyTimer timer = WheelNettyTimer.builder(executor).build();
        try {
            CompletableFuture<String> ran = new CompletableFuture<>();
            Timeout timeout = timer.newTimeout(
                    expired -> ran.complete(expired.isExpired() ? "expired" : "not expired"), 1, TimeUnit.MILLISECONDS);
            return timeout.timer() == timer ? ran.get(30, TimeUnit.SECONDS) : "of another timer";
        } finally {
            timer.stop();
            executor.shutdownNow();
        }
    }

    private static void requireNoSpring() {
        try {
            Class<?> spring = Class.forName("org.springframework.core.SpringVersion");
            throw new IllegalStateException("Spring must not be there, was " + spring);
        } catch (ClassNotFoundException ex) {
            // Spring must not be there.
        }
    }
}
