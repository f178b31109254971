package io.github.wheelscheduler.history;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The example of {@code docs/history.md}. */
final class HistoryPageExamples {

    private HistoryPageExamples() {}

    /** What failed last night, and since when the nightly task fails. */
    record Answer(HistoryPage page, @Nullable Instant failingSince) {}

    static Answer ask(RunHistoryReader reader, Instant two, Instant three) {
        HistoryQuery lastNight = HistoryQuery.ALL.between(two, three).with(Set.of(HistoryOutcome.FAILURE));
        HistoryPage page = reader.page(lastNight);
        Instant failingSince = reader.summary("nightly").failingSince();
        return new Answer(page, failingSince);
    }
}
