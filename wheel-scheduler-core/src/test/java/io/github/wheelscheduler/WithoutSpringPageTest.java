package io.github.wheelscheduler;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/without-spring.md}. */
class WithoutSpringPageTest {

    @Test
    void timerIsMovedAndCancelled() {
        AtomicBoolean connection = new AtomicBoolean(true);

        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        WheelTimer<?> timeout = executor.schedule(() -> close(connection), 30, SECONDS);
        boolean inTime = timeout.reschedule(30, SECONDS);
        timeout.cancel(false);
        executor.close();

        assertThat(inTime).isTrue();
        assertThat(timeout.isCancelled()).isTrue();
        assertThat(connection).isTrue();
    }

    @Test
    void groupHasALimitOfItsOwn() {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
            WheelScheduledExecutor reports = executor.newGroup("reports")
                    .maxWorkers(4)
                    .queueCapacity(64)
                    .onFull(OnFull.DROP)
                    .build();

            assertThat(executor.group("reports")).isSameAs(reports);
        }
    }

    private static void close(AtomicBoolean connection) {
        connection.set(false);
    }
}
