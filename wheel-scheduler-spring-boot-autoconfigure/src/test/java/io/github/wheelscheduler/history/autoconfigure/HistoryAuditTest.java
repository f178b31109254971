package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.steering.Steering;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Entries of the audit have the scheduler that rows of the same task have. */
class HistoryAuditTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            task                   | main | nightly | main
            durable task           |      | mail    | durable
            durable tasks          |      | mail    | durable
            durable                |      | mail    | durable
            recurring durable task |      | nightly | durable
            durable node           |      |         | durable node
            scheduler              | main |         | main
            endurable task         | ours | nightly | ours
            """, delimiter = '|')
    void entryHasTheSchedulerOfItsRows(String kind, String scheduler, String task, String expected) {
        Steering steering = new Steering(
                Steering.Channel.HTTP,
                "ann",
                "pause",
                new Steering.Target(kind, scheduler, task, null, null),
                null,
                null,
                null,
                null);
        assertThat(HistoryAudit.entry(steering, "a", Instant.EPOCH).scheduler()).isEqualTo(expected);
    }
}
