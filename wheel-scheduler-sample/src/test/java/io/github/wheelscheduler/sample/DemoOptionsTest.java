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
    void defaultsAreThoseOfTheReadme() {
        assertThat(DemoOptions.demoOf(new DefaultApplicationArguments("--demo=connections")))
                .hasToString(
                        "100,000 connections for 30 s: a heartbeat every 2 s each, and closed after 5 s without an "
                                + "answer");
        assertThat(DemoOptions.demoOf(new DefaultApplicationArguments("--demo=cluster")))
                .hasToString(
                        "3,000 durable tasks due within 12 s, and one every second, on 3 processes and a PostgreSQL");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --demo=x                              | --demo must be connections or cluster, was 'x'
                    --demo=connections --connections=abc  | --connections must be a number up to 99999999, was 'abc'
                    --demo=connections --connections=0    | connections must be at least 1, was 0
                    --demo=connections --time=foo         | --time must be in seconds, such as 30s, was 'foo'
                    --demo=connections --time=5s          | time must be more than PT7S, was PT5S
                    --demo=connections --connection=5     | option must be one of [demo, connections, time], was --connection
                    --demo=cluster --nodes=1              | nodes must be 2 to 8, was 1
                    --demo=cluster --nodes=10             | --nodes must be a number up to 9, was '10'
                    --demo=cluster --tasks=many           | --tasks must be a number up to 99999, was 'many'
                    --demo=cluster --tasks=0              | tasks must be at least 1, was 0
                    --demo=cluster --time=1m              | --time must be in seconds, such as 12s, was '1m'
                    --demo=cluster --time=1s              | time must be at least PT2S, was PT1S
                    --demo=cluster --connections=5        | option must be one of [demo, nodes, tasks, time], was --connections
                    """)
    void oneThatDoesNotFitIsToldWithTheRuleAndTheValue(String options, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DemoOptions.demoOf(new DefaultApplicationArguments(options.split(" "))))
                .withMessage(message.replaceAll("^\"|\"$", ""));
    }
}
