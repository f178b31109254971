package io.github.wheelscheduler;

import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program with a timer of each kind, which says what has come of them. */
public final class TimersWithoutSpring implements Callable<String> {

    @Override
    public String call() throws Exception {
        requireNoSpring();
        CompletableFuture<String> handled = new CompletableFuture<>();
        CompletableFuture<String> expired = new CompletableFuture<>();
        CompletableFuture<String> renewed = new CompletableFuture<>();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        try (KeyedTimers<String, String> keyed = KeyedTimers.<String, String>builder(
                                executor, (key, value) -> handled.complete(key))
                        .build();
                IdleTimeouts<String> idle = IdleTimeouts.<String>builder(executor, expired::complete)
                        .build();
                LeaseRenewer<String> leases = LeaseRenewer.<String>builder(executor, key -> {
                            renewed.complete(Renewal.Outcome.RENEWED.name());
                            return Renewal.Outcome.RENEWED;
                        })
                        .build()) {
            String before = keyed.set("key", "value", Duration.ofMillis(1));
            IdleTimeout timeout = idle.register("idle", Duration.ofMillis(500));
            Lease<String> lease = leases.keep("lease", Duration.ofSeconds(3), leases.start(), (key, reason) -> {});
            if (before != null || !timeout.touch() || !lease.isKept()) {
                return "not set";
            }
            return handled.get(30, TimeUnit.SECONDS) + ", " + expired.get(30, TimeUnit.SECONDS) + ", "
                    + renewed.get(30, TimeUnit.SECONDS);
        } finally {
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
