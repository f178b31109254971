package io.github.wheelscheduler.internal.spring.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.run.RunOutcome.Failure;
import org.junit.jupiter.api.Test;

/** The message of a failure that a scheduler keeps. */
class FailureMessageTest {

    private static final String PAIR = "\uD83D\uDE00";

    @Test
    void cutLeavesNoHalfOfAPair() {
        for (String before : new String[] {"", "x"}) {
            String message = Failure.of(new IllegalStateException(before + PAIR.repeat(10_000)), null)
                    .message();
            assertThat(message).startsWith(before + PAIR).endsWith(PAIR + "…");
        }
    }

    @Test
    void failingMessageIsEmpty() {
        Failure failure = Failure.of(
                new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new StackOverflowError("on purpose");
                    }
                },
                null);
        assertThat(failure.message()).isEmpty();
    }
}
