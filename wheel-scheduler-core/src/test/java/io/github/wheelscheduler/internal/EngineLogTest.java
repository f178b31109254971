package io.github.wheelscheduler.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.github.wheelscheduler.testing.LogCapture;
import java.lang.System.Logger.Level;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine's log loses no line for a text of the user's, and fails for none. */
class EngineLogTest {

    private static final String NAME = "io.github.wheelscheduler";

    /** As a handler that formats at once does: by its text. */
    private static final class Formatting extends Handler {

        @Override
        public void publish(LogRecord line) {
            if (line.getThrown() != null) {
                Object ignored = line.getThrown().toString();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static final class Broken extends Handler {

        @Override
        public void publish(LogRecord line) {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static void with(Handler handler, Runnable action) {
        Logger logger = Logger.getLogger(NAME);
        logger.addHandler(handler);
        try {
            action.run();
        } finally {
            logger.removeHandler(handler);
        }
    }

    private static RuntimeException unprintable() {
        return new IllegalStateException() {
            @Override
            public String getMessage() {
                throw new StackOverflowError("on purpose");
            }
        };
    }

    @Test
    void messageHasItsSubject() {
        try (LogCapture log = LogCapture.of(NAME)) {
            EngineLog.log(Level.WARNING, "A hook failed", "report", null);
            EngineLog.log(Level.WARNING, "A pass failed", null, new IllegalStateException("on purpose"));
            assertThat(log.messages()).containsExactly("A hook failed: report", "A pass failed");
        }
    }

    @Test
    void subjectThatHasNoTextIsNamedByItsClass() {
        class Subject {
            @Override
            public String toString() {
                throw new NoClassDefFoundError("on purpose");
            }
        }
        try (LogCapture log = LogCapture.of(NAME)) {
            EngineLog.log(Level.WARNING, "A hook failed", new Subject(), null);
            assertThat(log.messages()).containsExactly("A hook failed: " + Subject.class.getName());
        }
    }

    @Test
    void failureThatCannotBePrintedIsNamed() {
        try (LogCapture log = LogCapture.of(NAME)) {
            with(new Formatting(), () -> {
                RuntimeException failure = unprintable();
                EngineLog.log(Level.ERROR, "A run failed", "report", failure);
                assertThat(log.said(
                                "A run failed: report: " + failure.getClass().getName() + "\n\tat "))
                        .hasSize(1);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void brokenLogHarmsNoCaller(boolean isPrintable) {
        RuntimeException failure = isPrintable ? new IllegalStateException("on purpose") : unprintable();
        try (LogCapture log = LogCapture.of(NAME)) {
            with(
                    new Broken(),
                    () -> assertThatCode(() -> EngineLog.log(Level.ERROR, "A run failed", null, failure))
                            .doesNotThrowAnyException());
            assertThat(log.said("A run failed")).isNotEmpty();
        }
    }

    @Test
    void lineThatIsNotLoggedAsksForNoText() {
        try (LogCapture log = LogCapture.of(NAME)) {
            boolean[] isAsked = {false};
            EngineLog.log(Level.TRACE, "A run failed", null, new IllegalStateException() {
                @Override
                public String getMessage() {
                    isAsked[0] = true;
                    return "on purpose";
                }
            });
            assertThat(log.messages()).isEmpty();
            assertThat(isAsked[0]).isFalse();
        }
    }
}
