package io.github.wheelscheduler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.testing.LogCapture;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.commons.logging.impl.NoOpLog;
import org.junit.jupiter.api.Test;

/** Which tasks a shutdown has kept from running, by names of the user's, in a log of the user's. */
class ShutdownReportTest {

    private final ShutdownReport report = new ShutdownReport();
    private final List<Boolean> isFree = new ArrayList<>();

    private final class Named implements NamedTask, Runnable {

        @Override
        public String taskName() {
            call();
            return "named";
        }

        @Override
        public void run() {}
    }

    /** The user's code: another thread adds a task meanwhile. */
    private void call() {
        Thread other = new Thread(() -> report.addOneTime("other"));
        other.start();
        try {
            other.join(10_000);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
        isFree.add(!other.isAlive());
    }

    @Test
    void nameIsAskedForAndLoggedUnderNoLock() {
        List<Object> lines = new ArrayList<>();
        Log log = new NoOpLog() {
            @Override
            public void warn(Object line) {
                call();
                lines.add(line);
            }
        };
        report.addOneTime(new Named());
        report.log(log, "scheduler");
        assertThat(isFree).containsExactly(true, true);
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith("scheduler was shut down before 2 one-time tasks ran: [")
                .contains("named");
    }

    @Test
    void tenAreNamedAndAllAreCounted() {
        for (int i = 0; i < 12; i++) {
            report.addOneTime("task");
        }
        try (LogCapture captured = LogCapture.of(ShutdownReport.class)) {
            report.log(LogFactory.getLog(ShutdownReport.class), "scheduler");
            assertThat(captured.messages())
                    .singleElement()
                    .asString()
                    .contains("before 12 one-time tasks ran: [")
                    .endsWith("] and 2 more");
        }
    }
}
