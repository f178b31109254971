package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.DefaultApplicationArguments;

/** What the options of a demonstration may be. */
class DemoOptionsTest {

    @Test
    void theDefaultsAreThoseOfTheReadme() {
        assertThat(SampleApplication.demoOf(new DefaultApplicationArguments("--demo=connections")))
                .hasToString(
                        "100,000 connections for 30 s: a heartbeat every 2 s each, and closed after 5 s without an answer");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --demo=x                              | --demo must be connections, was 'x'
                    --demo=connections --connections=abc  | --connections must be a number up to 99999999, was 'abc'
                    --demo=connections --connections=0    | connections must be at least 1, was 0
                    --demo=connections --time=foo         | --time must be in seconds, such as 30s, was 'foo'
                    --demo=connections --time=5s          | time must be more than PT7S, was PT5S
                    --demo=connections --connection=5     | option must be one of [demo, connections, time], was --connection
                    """)
    void oneThatDoesNotFitIsToldWithTheRuleAndTheValue(String options, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SampleApplication.demoOf(new DefaultApplicationArguments(options.split(" "))))
                .withMessage(message.replaceAll("^\"|\"$", ""));
    }
}
