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
        history.ran(0, 1, -5, true, new RunOutcome.Failure("x", "", null), false);
        history.ran(0, 1, 7, false, null, false);
        RunHistory.View view = history.view();
        assertThat(view.failures()).isOne();
        assertThat(view.recent()).extracting(RunOutcome::isSuccess).containsExactly(true, false);
        assertThat(view.recent()).extracting(RunOutcome::triggered).containsExactly(false, true);
        assertThat(view.recent())
                .extracting(RunOutcome::lateness)
                .containsExactly(Duration.ofNanos(7), Duration.ofNanos(-5));
    }

    @Test
    void taskOverrunsIfAllItsRunsByTheScheduleDo() {
        RunHistory history = new RunHistory();
        run(history, 2, false, true);
        run(history, 5, true, false);
        assertThat(history.isOverrunning()).as("two runs").isFalse();
        run(history, 1, false, true);
        assertThat(history.isOverrunning()).as("three runs, and triggered ones").isTrue();
        run(history, 1, false, false);
        assertThat(history.isOverrunning()).as("one in time").isFalse();
        run(history, 9, false, true);
        assertThat(history.isOverrunning()).as("one of ten in time").isFalse();
        run(history, 1, false, true);
        assertThat(history.isOverrunning()).as("none of ten in time").isTrue();
        assertThat(history.view().recent()).extracting(RunOutcome::lateness).containsOnly(Duration.ofNanos(-1));
    }

    private static void run(RunHistory history, int times, boolean triggered, boolean overran) {
        for (int i = 0; i < times; i++) {
            history.ran(0, 1, -1, triggered, null, overran);
        }
    }

    /** Each run takes as long as it is late, and has failed if that is odd: so a view of two halves shows. */
    @Test
    void viewIsOfOneMomentThoughRunsAreNotedMeanwhile() throws Exception {
        RunHistory history = new RunHistory();
        RunOutcome.Failure failure = new RunOutcome.Failure("x", "", null);
        Thread notes = new Thread(() -> {
            for (int run = 0; !Thread.currentThread().isInterrupted(); run++) {
                history.ran(run, run, run, false, run % 2 == 0 ? null : failure, false);
            }
        });
        notes.start();
        try {
            for (int i = 0; i < 20_000; i++) {
                RunHistory.View view = history.view();
                assertThat(isOfOneMoment(view)).as("%s", view).isTrue();
            }
        } finally {
            notes.interrupt();
            notes.join();
        }
    }

    /** Without assertions of its own, which would take most of the test's time. */
    private static boolean isOfOneMoment(RunHistory.View view) {
        long run = view.runs() - 1;
        boolean isTrue = view.failures() == view.runs() / 2;
        for (RunOutcome outcome : view.recent()) {
            isTrue &= outcome.duration().toNanos() == run
                    && outcome.lateness().toNanos() == run
                    && outcome.isSuccess() == (run % 2 == 0);
            run--;
        }
        return isTrue;
    }
}
