package io.github.wheelscheduler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Patience;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The decorator that the page on differences shows. */
class ContextDecoratorTest {

    private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    @Test
    void decoratorHandsTheCallersValueToTheRun() throws Exception {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setTaskDecorator(task -> {
            String tenant = TENANT.get();
            return () -> {
                TENANT.set(tenant);
                try {
                    task.run();
                } finally {
                    TENANT.remove();
                }
            };
        });
        scheduler.initialize();
        CompletableFuture<@Nullable String> seen = new CompletableFuture<>();
        TENANT.set("blue");
        try {
            Object ignored = scheduler.schedule(
                    () -> seen.complete(TENANT.get()), Instant.now().plusMillis(1));
            assertThat(seen.get(Patience.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("blue");
        } finally {
            TENANT.remove();
            scheduler.shutdown();
        }
    }
}
