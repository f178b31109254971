package io.github.wheelscheduler.internal.spring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.github.wheelscheduler.internal.StackText;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a user's code has thrown is logged as far as it can be printed. */
class ThrownLogTest {

    private static final String NAME = ThrownLogTest.class.getName();
    private static final String FAULT = "on purpose";
    private static final String PAIR = "\uD83D\uDE00";

    private final Logger logger = Logger.getLogger(NAME);
    private final Log log = LogFactory.getLog(NAME);
    private final Recorder recorder = new Recorder();

    /** Keeps lines, and fails on demand. */
    private static final class Recorder extends Handler {

        private final List<LogRecord> lines = new ArrayList<>();
        private boolean failsForThrown;
        private @Nullable Error failure;

        @Override
        public void publish(LogRecord line) {
            if (failure != null) {
                throw failure;
            }
            if (failsForThrown && line.getThrown() != null) {
                throw new NoClassDefFoundError(FAULT);
            }
            lines.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void record() {
        logger.setUseParentHandlers(false);
        logger.addHandler(recorder);
    }

    @AfterEach
    void close() {
        logger.removeHandler(recorder);
        logger.setUseParentHandlers(true);
        logger.setLevel(null);
    }

    private static RuntimeException unprintable(Error fault) {
        return new IllegalStateException() {
            @Override
            public String getMessage() {
                throw fault;
            }
        };
    }

    private LogRecord onlyLine() {
        assertThat(recorder.lines).hasSize(1);
        return recorder.lines.get(0);
    }

    @Test
    void printableIsLeftToTheLog() {
        Exception thrown = new IllegalStateException(FAULT);
        assertThat(ThrownLog.error(log, "A run failed", thrown)).isTrue();
        assertThat(onlyLine().getLevel()).isEqualTo(Level.SEVERE);
        assertThat(onlyLine().getMessage()).isEqualTo("A run failed");
        assertThat(onlyLine().getThrown()).isSameAs(thrown);
    }

    @Test
    void unprintableBecomesText() {
        for (Error fault :
                List.of(new AssertionError(FAULT), new OutOfMemoryError(FAULT), new StackOverflowError(FAULT))) {
            recorder.lines.clear();
            RuntimeException thrown = unprintable(fault);
            assertThat(ThrownLog.error(log, "A run failed", thrown)).isTrue();
            assertThat(onlyLine().getThrown()).isNull();
            assertThat(onlyLine().getMessage()).isEqualTo("A run failed: " + StackText.of(thrown));
        }
    }

    @Test
    void logThatFailsForTheThrowableHasItsText() {
        recorder.failsForThrown = true;
        ThrownLog.warn(log, "A listener failed", new IllegalStateException(FAULT));
        assertThat(onlyLine().getLevel()).isEqualTo(Level.WARNING);
        assertThat(onlyLine().getMessage())
                .startsWith("A listener failed: " + IllegalStateException.class.getName() + ": " + FAULT);
    }

    @Test
    void brokenLogHarmsNoCaller() {
        recorder.failure = new OutOfMemoryError(FAULT);
        Exception thrown = new IllegalStateException(FAULT);
        assertThat(ThrownLog.error(log, "A run failed", thrown)).isFalse();
        logger.setLevel(Level.ALL);
        assertThatCode(() -> {
                    ThrownLog.warn(log, "A run failed", thrown);
                    ThrownLog.debug(log, "A run failed", thrown);
                    ThrownLog.warnInOneLine(log, "A run failed", thrown);
                })
                .doesNotThrowAnyException();
    }

    @Test
    void debugLineThatIsNotLoggedAsksForNoText() {
        boolean[] isAsked = {false};
        Exception thrown = new IllegalStateException() {
            @Override
            public String getMessage() {
                isAsked[0] = true;
                return FAULT;
            }
        };
        logger.setLevel(Level.INFO);
        ThrownLog.debug(log, "An observer failed", thrown);
        assertThat(recorder.lines).isEmpty();
        assertThat(isAsked[0]).isFalse();
        logger.setLevel(Level.FINE);
        ThrownLog.debug(log, "An observer failed", thrown);
        assertThat(onlyLine().getThrown()).isSameAs(thrown);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            quoteCharacter = '"',
            value = {"null, \"\"", "\"  \", \"\"", "short, \": short\"", "\"two \n  lines\", \": two lines\""})
    void oneLineHasClassAndMessage(@Nullable String message, String rest) {
        ThrownLog.warnInOneLine(log, "Attempt 2 of 10 failed", new IllegalStateException(message));
        assertThat(onlyLine().getThrown()).isNull();
        assertThat(onlyLine().getMessage())
                .isEqualTo("Attempt 2 of 10 failed: " + IllegalStateException.class.getName() + rest);
    }

    @Test
    void oneLineOfAFailingMessageIsTheClass() {
        RuntimeException thrown = unprintable(new StackOverflowError(FAULT));
        assertThat(ThrownLog.inOneLine(thrown)).isEqualTo(thrown.getClass().getName());
    }

    @Test
    void oneLineIsCut() {
        String name = IllegalStateException.class.getName() + ": ";
        assertThat(ThrownLog.inOneLine(new IllegalStateException("x".repeat(500))))
                .isEqualTo(name + "x".repeat(500));
        assertThat(ThrownLog.inOneLine(new IllegalStateException("x".repeat(501))))
                .isEqualTo(name + "x".repeat(500) + "…");
        assertThat(ThrownLog.inOneLine(new IllegalStateException("x" + PAIR.repeat(500))))
                .isEqualTo(name + "x" + PAIR.repeat(249) + "…");
    }
}
