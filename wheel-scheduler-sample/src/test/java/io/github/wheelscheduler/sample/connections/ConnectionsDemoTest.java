package io.github.wheelscheduler.sample.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The demonstration on a small scale: all that fall silent are closed on both, none early. */
class ConnectionsDemoTest {

    @Test
    void allThatFallSilentAreClosedAndNoneTooEarly() throws Exception {
        String table = new ConnectionsDemo(2_000, Duration.ofSeconds(2), Duration.ofMillis(100), Duration.ofMillis(500))
                .play();
        System.out.println(table);

        assertThat(table)
                .contains("2,000 connections for 2 s: a heartbeat every 100 ms each, and closed after 500 ms")
                .containsPattern("closed, of the silent ones +200 of 200 +200 of 200")
                .containsPattern("closed too early +0 ");
    }

    @Test
    void timeThatIsTooShortIsToldWithTheRule() {
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConnectionsDemo(1, second, second, second))
                .withMessage("time must be more than PT2S, was PT1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ConnectionsDemo(0, Duration.ofSeconds(30), second, second))
                .withMessage("connections must be at least 1, was 0");
    }
}
