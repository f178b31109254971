package io.github.wheelscheduler.internal.spring.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.run.RunOutcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is remembered of runs. */
class RunHistoryTest {

    @Test
    void failureThatCannotBeDescribedIsRememberedAsOne() {
        RunHistory history = new RunHistory();
        history.ran(0, 1, -5, true, new RunOutcome.Failure("x", ""), false);
        history.ran(0, 1, 7, false, null, false);
        RunHistory.View view = history.view();
        assertThat(view.failures()).isOne();
        assertThat(view.recent()).extracting(RunOutcome::isSuccess).containsExactly(true, false);
        assertThat(view.recent()).extracting(RunOutcome::triggered).containsExactly(false, true);
        assertThat(view.recent())
                .extracting(RunOutcome::lateness)
                .containsExactly(Duration.ofNanos(7), Duration.ofNanos(-5));
    }
}
