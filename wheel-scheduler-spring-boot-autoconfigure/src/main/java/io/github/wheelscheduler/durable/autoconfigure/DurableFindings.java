package io.github.wheelscheduler.durable.autoconfigure;

import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.autoconfigure.endpoint.CountRises;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** What is wrong with durable tasks, in sentences. The database is asked beside the caller, and seldom. Any thread. */
final class DurableFindings implements FindingSource {

    /** What the database has said is good for so long. */
    private static final Duration OLD = Duration.ofSeconds(5);

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final long PATIENCE_MILLIS = 300;

    /** So many heartbeats may be missing. */
    private static final int MISSING_BEATS = 3;

    private static final int NAMED = 5;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMMM, HH:mm", Locale.ENGLISH);

    private final DurableEngine engine;
    private final ThreadOrigin origin = new ThreadOrigin();
    private final CountRises rises = new CountRises();
    private final AtomicReference<@Nullable Look> last = new AtomicReference<>();

    DurableFindings(DurableEngine engine) {
        this.engine = engine;
    }

    /** What the database says, once it has. */
    private record Look(Instant at, CompletableFuture<DurableOverview> answer) {}

    @Override
    public List<Finding> findings(Instant now) {
        List<Finding> found = new ArrayList<>();
        Throwable problem = engine.problem();
        if (problem != null) {
            found.add(away(problem, engine.refusesChanges(), engine.unansweredFor(), now, ZoneId.systemDefault()));
        }
        String holder = engine.holder();
        if (holder != null) {
            found.add(new Finding(
                    "durableWorkersBusy",
                    Severity.WARNING,
                    "all " + engine.settings().maxConcurrent()
                            + " workers of durable tasks have been busy for longer than usual, most of them with "
                            + holder));
        }
        CountRises.Rise takenOver = rises.note("takenOver", engine.counts().takenOver());
        if (takenOver.by() > 0) {
            found.add(new Finding(
                    "durableNodesLost",
                    Severity.WARNING,
                    counted(takenOver.by(), "durable task") + " of nodes that are gone "
                            + (takenOver.by() == 1 ? "was" : "were") + " freed for others in the last "
                            + about(takenOver.within())));
        }
        DurableOverview overview = problem == null ? overview(now) : null;
        if (overview != null) {
            found.addAll(of(
                    overview, engine.settings().heartbeat(), engine.settings().deadAfter()));
        }
        return found;
    }

    static Finding away(Throwable problem, boolean refuses, Duration away, Instant now, ZoneId zone) {
        DateTimeFormatter format = away.toDays() == 0 ? TIME : DAY;
        return new Finding(
                "durableDatabase",
                Severity.ERROR,
                "the database of durable tasks " + (refuses ? "answers, but refuses changes" : "does not answer")
                        + " since "
                        + format.format(now.minus(away).atZone(zone)) + ", for " + about(away) + ": "
                        + NestedExceptionUtils.getMostSpecificCause(problem)
                                .getClass()
                                .getSimpleName());
    }

    /** Returns what is wrong by what the database says. */
    static List<Finding> of(DurableOverview overview, Duration heartbeat, Duration deadAfter) {
        List<Finding> found = new ArrayList<>();
        Instant newest = overview.nodes().stream()
                .map(DurableOverview.NodeShare::lastHeartbeatAt)
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
        for (DurableOverview.NodeShare node : overview.nodes()) {
            Duration silent = Duration.between(node.lastHeartbeatAt(), newest);
            if (silent.compareTo(heartbeat.multipliedBy(MISSING_BEATS)) > 0) {
                found.add(new Finding(
                        "durableNodeSilent",
                        Severity.WARNING,
                        "the node " + node.node() + " has not been heard of for " + about(silent)
                                + ", and is taken for dead after " + about(deadAfter)));
            }
        }
        add(found, "durableFailed", overview.failed(), "has failed for good", "have failed for good");
        add(
                found,
                "durableUnreadable",
                overview.unreadable(),
                "is read by no node so far",
                "are read by no node so far");
        add(found, "durableOverdue", overview.overdue(), "is overdue", "are overdue");
        if (!overview.unknownHandlers().isEmpty()) {
            found.add(new Finding("durableHandlerUnknown", Severity.WARNING, waitingFor(overview.unknownHandlers())));
        }
        return found;
    }

    private static String waitingFor(List<String> names) {
        String named = names.stream().limit(NAMED).collect(Collectors.joining("', '", "'", "'"));
        String more = names.size() > NAMED ? " and " + (names.size() - NAMED) + " more" : "";
        return "durable tasks wait for "
                + (names.size() == 1
                        ? "the handler " + named + ", which no node has"
                        : "handlers that no node has: " + named + more);
    }

    private static void add(List<Finding> found, String rule, int number, String one, String many) {
        if (number > 0) {
            String atLeast = number >= DurableOverview.MOST ? "at least " : "";
            String text = atLeast + counted(number, "durable task") + " " + (number == 1 ? one : many);
            found.add(new Finding(rule, Severity.WARNING, text));
        }
    }

    private static String counted(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    /** Returns what the database has said lately; null if it has not answered yet. */
    private @Nullable DurableOverview overview(Instant now) {
        Look before = last.get();
        Look look = before;
        boolean isOld = before == null
                || (before.answer.isDone()
                        && Duration.between(before.at, now).abs().compareTo(OLD) >= 0);
        if (isOld) {
            Look next = new Look(now, new CompletableFuture<>());
            if (last.compareAndSet(before, next)) {
                ask(next.answer);
            }
            look = last.get();
        }
        if (look == null) {
            return null;
        }
        try {
            // Who asks after the first moment finds out at once that there is no answer.
            boolean isFirst = Duration.between(look.at, now).compareTo(FIRST) < 0;
            return look.answer.get(isFirst ? PATIENCE_MILLIS : 0, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException | TimeoutException ex) {
            // The node itself will notice.
            return null;
        }
    }

    /** On a thread of its own, as a database that is away may take long to say so. */
    private void ask(CompletableFuture<DurableOverview> answer) {
        Thread thread = origin.newDaemon(
                () -> {
                    try {
                        boolean ignored = answer.complete(engine.overview());
                    } catch (Throwable ex) {
                        boolean ignored = answer.completeExceptionally(ex);
                    }
                },
                "wheel-durable-findings");
        try {
            thread.start();
        } catch (OutOfMemoryError ex) {
            // There are too many threads; else there would never be an answer, and no other question.
            boolean ignored = answer.completeExceptionally(ex);
        }
    }
}
