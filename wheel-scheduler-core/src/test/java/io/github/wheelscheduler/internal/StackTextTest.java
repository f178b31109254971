package io.github.wheelscheduler.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Stacks as text are bounded, and fail for no text of the user's. */
@Timeout(60)
class StackTextTest {

    private static final int LONGEST = 16 * 1024;
    private static final String PAIR = "\uD83D\uDE00";

    private static String printed(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** What the user's code in a failure throws. */
    enum Fault {
        ASSERTION {
            @Override
            Error make() {
                return new AssertionError("on purpose");
            }
        },
        MEMORY {
            @Override
            Error make() {
                return new OutOfMemoryError("on purpose");
            }
        },
        STACK {
            @Override
            Error make() {
                return deeper(0);
            }

            @SuppressWarnings("InfiniteRecursion") // it ends with the stack
            private static Error deeper(int depth) {
                return deeper(depth + 1);
            }
        };

        abstract Error make();
    }

    private static final class Failing extends RuntimeException {

        private final transient Fault fault;
        private final String where;

        Failing(Fault fault, String where) {
            super("on purpose");
            this.fault = fault;
            this.where = where;
        }

        private void failIn(String method) {
            if (where.contains(method)) {
                throw fault.make();
            }
        }

        @Override
        public String getMessage() {
            failIn("message");
            return super.getMessage();
        }

        @Override
        @SuppressWarnings("OverrideThrowableToString") // its text is what fails
        public String toString() {
            failIn("text");
            return super.toString();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            failIn("frames");
            return super.getStackTrace();
        }

        @Override
        public synchronized Throwable getCause() {
            failIn("cause");
            return super.getCause();
        }
    }

    @Test
    void wholeTextIsWhatJavaPrints() {
        Exception thrown = new IllegalStateException("first", new IllegalArgumentException("second"));
        thrown.addSuppressed(new UnsupportedOperationException("beside"));
        assertThat(StackText.of(thrown)).isEqualTo(printed(thrown)).contains("Caused by: ", "Suppressed: ");
        assertThat(StackText.isPrintable(thrown)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"-1, -1", "0, 0", "1, 0", "1000, 0"})
    void textEndsAtTheBound(int more, int missing) {
        Exception thrown = new IllegalStateException("x".repeat(5_000));
        String whole = printed(thrown);
        assertThat(StackText.of(thrown, whole.length() + more)).isEqualTo(whole.substring(0, whole.length() + missing));
    }

    @Test
    void boundWithinTheMessageCutsIt() {
        Exception thrown = new IllegalStateException("x".repeat(1_000_000));
        String name = IllegalStateException.class.getName();
        assertThat(StackText.of(thrown, 1_000)).isEqualTo(name + ": " + "x".repeat(998 - name.length()));
        assertThat(StackText.of(thrown)).hasSize(LONGEST);
        assertThat(StackText.isPrintable(thrown)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2"})
    void boundCutsNoSurrogatePair(int shift) {
        String name = IllegalStateException.class.getName() + ": ";
        Exception thrown = new IllegalStateException("x".repeat(shift) + PAIR.repeat(1_000));
        String text = StackText.of(thrown, name.length() + 101);
        assertThat(text).hasSizeBetween(name.length() + 100, name.length() + 101);
        assertThat(Character.isHighSurrogate(text.charAt(text.length() - 1))).isFalse();
    }

    @Test
    void missingMessageIsNoFault() {
        assertThat(StackText.of(new IllegalStateException((String) null)))
                .startsWith(IllegalStateException.class.getName() + System.lineSeparator() + "\tat ");
    }

    @Test
    void causesInACircleEnd() {
        Exception one = new IllegalStateException("one");
        Exception other = new IllegalStateException("other", one);
        Object ignored = one.initCause(other);
        assertThat(StackText.of(one)).contains("one", "other", "CIRCULAR REFERENCE");
        assertThat(StackText.isPrintable(one)).isTrue();
    }

    @Test
    void causesThatAreNewEachTimeEnd() {
        class Endless extends RuntimeException {
            @Override
            public synchronized Throwable getCause() {
                return new Endless();
            }
        }
        assertThat(StackText.of(new Endless()))
                .startsWith(Endless.class.getName())
                .hasSizeLessThanOrEqualTo(LONGEST);
        assertThat(StackText.isPrintable(new Endless())).isFalse();
    }

    @Test
    void suppressedInACircleEnd() {
        Exception one = new IllegalStateException("one");
        Exception other = new IllegalStateException("other");
        one.addSuppressed(other);
        other.addSuppressed(one);
        assertThat(StackText.of(one)).contains("one", "Suppressed: ", "other", "CIRCULAR REFERENCE");
        assertThat(StackText.isPrintable(one)).isTrue();
    }

    @Test
    void thousandsOfCausesAreCut() {
        Throwable chain = new IllegalStateException("the first");
        for (int i = 1; i < 3_000; i++) {
            chain = new IllegalStateException("cause " + i, chain);
        }
        assertThat(StackText.of(chain))
                .startsWith(IllegalStateException.class.getName() + ": cause 2999")
                .contains("Caused by: ")
                .hasSize(LONGEST);
        assertThat(StackText.isPrintable(chain)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void failingMessageLeavesClassAndFrames(Fault fault) {
        for (String where : new String[] {"message", "text"}) {
            Failing thrown = new Failing(fault, where);
            assertThat(StackText.of(thrown))
                    .startsWith(Failing.class.getName() + "\n\tat ")
                    .contains("StackTextTest");
            assertThat(StackText.isPrintable(thrown)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failingCauseLeavesWhatCameBefore(Fault fault) {
        Failing thrown = new Failing(fault, "cause");
        assertThat(StackText.of(thrown))
                .startsWith(Failing.class.getName() + ": on purpose")
                .contains("\tat ");
        assertThat(StackText.isPrintable(thrown)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void failingFramesLeaveTheClass(Fault fault) {
        // Java asks for the frames by other ways.
        assertThat(StackText.of(new Failing(fault, "frames"))).startsWith(Failing.class.getName() + ": on purpose");
        assertThat(StackText.of(new Failing(fault, "message, frames"))).isEqualTo(Failing.class.getName());
        assertThat(StackText.of(new Failing(fault, "text, frames"))).isEqualTo(Failing.class.getName());
    }

    @Test
    void traceThatPrintsNothingLeavesClassAndFrames() {
        class Silent extends RuntimeException {
            @Override
            public void printStackTrace(PrintWriter writer) {}
        }
        String text = StackText.of(new Silent(), 1_000);
        assertThat(text).startsWith(Silent.class.getName() + "\n\tat ").hasSizeLessThanOrEqualTo(1_000);
    }

    @Test
    void traceThatPrintsForEverEnds() {
        class Chatty extends RuntimeException {
            @Override
            public void printStackTrace(PrintWriter writer) {
                while (true) {
                    writer.println("more");
                }
            }
        }
        assertThat(StackText.of(new Chatty(), 1_000)).startsWith("more").hasSize(1_000);
        assertThat(StackText.isPrintable(new Chatty())).isFalse();
    }

    @Test
    void frameIsWrittenWholeOrNotAtAll() {
        StackTraceElement[] frames = IntStream.range(0, 100_000)
                .mapToObj(i -> new StackTraceElement("a.B", "c", "B.java", i))
                .toArray(StackTraceElement[]::new);
        String text = StackText.of(frames);
        assertThat(text).hasSizeBetween(LONGEST - 40, LONGEST);
        String[] lines = text.split("\n", -1);
        assertThat(lines)
                .isEqualTo(Arrays.stream(frames)
                        .limit(lines.length)
                        .map(frame -> "\tat " + frame)
                        .toArray(String[]::new));
        assertThat(StackText.of(new StackTraceElement[0])).isEmpty();
    }
}
