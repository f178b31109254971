package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.history.HistoryEngine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.core.NestedExceptionUtils;

/** Runs that were missed while no node was up, and a history that cannot be written, in sentences. Any thread. */
final class HistoryFindings implements FindingSource {

    private final HistoryEngine history;
    private final MissedAtStart missed;

    HistoryFindings(HistoryEngine history, MissedAtStart missed) {
        this.history = history;
        this.missed = missed;
    }

    @Override
    public List<Finding> findings(Instant now) {
        List<Finding> found = new ArrayList<>();
        Throwable problem = history.problem();
        if (problem != null) {
            found.add(new Finding(
                    "historyUnwritten",
                    Severity.WARNING,
                    "The history of runs cannot be written, and "
                            + history.counts().dropped()
                            + " rows are lost so far: "
                            + NestedExceptionUtils.getMostSpecificCause(problem)
                                    .getClass()
                                    .getSimpleName()));
        }
        List<MissedAtStart.Missed> all = missed.all();
        all.stream()
                .max(Comparator.comparingLong(MissedAtStart.Missed::runs)
                        .thenComparing(MissedAtStart.Missed::task, Comparator.reverseOrder()))
                .ifPresent(worst -> found.add(missed(worst, all.size())));
        return found;
    }

    private static Finding missed(MissedAtStart.Missed worst, int tasks) {
        String runs = worst.runs() == 1 ? "1 run" : worst.runs() + " runs";
        String text = EndpointAnswers.named(worst.task()) + " missed " + runs + " while no node was up"
                + (tasks == 1 ? "" : ", and " + (tasks - 1) + " more tasks missed some");
        return new Finding(
                "missedWhileDown",
                Severity.WARNING,
                worst.scheduler(),
                null,
                worst.task(),
                tasks,
                EndpointAnswers.shown(text),
                null);
    }
}
