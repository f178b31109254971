package io.github.wheelscheduler.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurableSettingsTest {

    private static DurableSettings with(String table, Duration claimAhead, Duration heartbeat, Duration deadAfter) {
        return new DurableSettings(
                table,
                false,
                "node",
                1,
                claimAhead,
                1,
                heartbeat,
                deadAfter,
                Duration.ZERO,
                Duration.ofMinutes(1),
                0,
                null,
                true,
                DurableSettings.UnknownHandlers.WARN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a;drop table x", "a.b.c", "1a", "\"a\""})
    void aTableHasAPlainName(String table) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(table, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(4)))
                .withMessage("table must be up to 40 letters, digits and _, perhaps after a schema and a dot, was '"
                        + table + "'");
    }

    @Test
    void durationsHaveBorders() {
        assertThat(with("jobs.tasks", Duration.ofMillis(100), Duration.ofMinutes(1), Duration.ofMinutes(4)))
                .isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with("t", Duration.ofMillis(99), Duration.ofSeconds(1), Duration.ofSeconds(4)))
                .withMessage("claimAhead must be 100 ms to 1 minute, was PT0.099S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with("t", Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMillis(3_999)))
                .withMessage("deadAfter must be at least four heartbeats, which are PT4S, was PT3.999S");
    }
}
