package io.github.wheelscheduler.durable.autoconfigure;

import static io.github.wheelscheduler.internal.DurationWords.about;

import io.github.wheelscheduler.autoconfigure.endpoint.CountRises;
import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.DurableNode.RunHere;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.RecurringTable;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Problems of durable tasks, in sentences. The database is asked seldom, on another thread than the caller's. Any
 * thread.
 */
final class DurableFindings implements FindingSource {

    /** An answer of the database is used for this long. */
    private static final Duration OLD = Duration.ofSeconds(5);

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final long PATIENCE_MILLIS = 300;

    /** So many heartbeats may be missing. */
    private static final int MISSING_BEATS = 3;

    private static final int NAMED = 5;
    private static final int MANY_FAILURES = 3;

    /** A shorter run needs no explanation. */
    private static final Duration LONG = Duration.ofMinutes(1);

    /** Without it, nothing found would mean that all is well. */
    private static final Finding UNKNOWN = new Finding(
            "durableUnknown",
            Severity.INFO,
            "The database of durable tasks has not answered yet; their problems are unknown");

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMMM, HH:mm", Locale.ENGLISH);

    private final DurableEngine engine;
    private final DurableNode node;
    private final Supplier<@Nullable Duration> longest;
    private final @Nullable String traceUrl;
    private final ThreadOrigin origin = new ThreadOrigin();
    private final CountRises rises = new CountRises();
    private final AtomicReference<@Nullable Look> last = new AtomicReference<>();

    /**
     * Creates one for an engine.
     *
     * @param longest returns the duration of a run beyond which there is a warning; null if the settings have none
     * @param traceUrl the address of a trace, with {@code {traceId}} in place of its id; null for unknown
     */
    DurableFindings(DurableEngine engine, Supplier<@Nullable Duration> longest, @Nullable String traceUrl) {
        this.traceUrl = traceUrl;
        this.engine = engine;
        this.node = DurableNode.of(engine);
        this.longest = longest;
    }

    /** A question to the database, with its answer once there is one. */
    private record Look(Instant at, CompletableFuture<Seen> answer) {}

    /** The answer of the database. */
    private record Seen(DurableOverview overview, List<RecurringTask> recurring) {}

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
                    "All " + engine.settings().maxConcurrent()
                            + " workers of durable tasks have been busy for longer than usual, most of them with "
                            + holder));
        }
        CountRises.Rise takenOver = rises.note("takenOver", engine.counts().takenOver());
        if (takenOver.by() > 0) {
            found.add(new Finding(
                    "durableNodesLost",
                    Severity.WARNING,
                    counted(takenOver.by(), "durable task") + " of dead nodes "
                            + (takenOver.by() == 1 ? "was" : "were") + " released to other nodes in the last "
                            + about(takenOver.within())));
        }
        Seen seen = problem == null ? seen(now) : null;
        Finding longRun = longRun(node.runsHere(), seen == null ? List.of() : seen.recurring, longest.get(), now);
        if (longRun != null) {
            found.add(longRun);
        }
        if (seen != null) {
            found.addAll(of(
                    seen.overview,
                    engine.settings().heartbeat(),
                    engine.settings().deadAfter()));
            Finding failing = failing(seen.recurring);
            if (failing != null) {
                found.add(failing.withTrace(TraceUrl.of(traceUrl, traceOfWorst(seen.recurring))));
            }
        } else if (problem == null) {
            found.add(UNKNOWN);
        }
        return found;
    }

    static Finding away(Throwable problem, boolean refuses, Duration away, Instant now, ZoneId zone) {
        DateTimeFormatter format = away.toDays() == 0 ? TIME : DAY;
        return new Finding(
                "durableDatabase",
                Severity.ERROR,
                "The database of durable tasks has " + (refuses ? "refused writes" : "not answered") + " since "
                        + format.format(now.minus(away).atZone(zone)) + " (" + about(away) + "): "
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
                        "Node " + node.node() + " has sent no heartbeat for " + about(silent)
                                + "; it counts as dead after " + about(deadAfter)));
            }
        }
        add(found, "durableFailed", overview.failed(), "has failed permanently", "have failed permanently");
        add(
                found,
                "durableUnreadable",
                overview.unreadable(),
                "has been readable for no node so far",
                "have been readable for no node so far");
        add(found, "durableOverdue", overview.overdue(), "is overdue", "are overdue");
        if (!overview.unknownHandlers().isEmpty()) {
            found.add(new Finding("durableHandlerUnknown", Severity.WARNING, waitingFor(overview.unknownHandlers())));
        }
        return found;
    }

    /** Returns which recurring tasks fail, of which the one that has failed most often is named; null if none does. */
    static @Nullable Finding failing(List<RecurringTask> tasks) {
        List<RecurringTask> failing =
                tasks.stream().filter(task -> task.failures() > 0).toList();
        RecurringTask worst = worst(tasks);
        if (worst == null) {
            return null;
        }
        String name = EndpointAnswers.named(worst.id());
        boolean isOnce = worst.failures() == 1;
        String text = failing.size() == 1
                ? (isOnce ? "The last run of " + name + " failed" : "Durable task " + name + " has failed")
                : failing.size() + " durable tasks are failing"
                        + (isOnce ? "; the last run of " + name + " failed" : ", " + name + " most often");
        String times = worst.failures() + " times in a row";
        text += (isOnce ? "" : failing.size() == 1 ? " " + times : " (" + times + ")")
                + with(worst, isOnce ? " with " : ", last with ");
        Severity severity = worst.failures() < MANY_FAILURES ? Severity.WARNING : Severity.ERROR;
        return new Finding("durableFailing", severity, EndpointAnswers.shown(text));
    }

    private static @Nullable RecurringTask worst(List<RecurringTask> tasks) {
        return tasks.stream()
                .filter(task -> task.failures() > 0)
                .max(Comparator.comparingInt(RecurringTask::failures))
                .orElse(null);
    }

    /** Returns the trace id of the run that the finding names; null unless it was on this node and observed. */
    private @Nullable String traceOfWorst(List<RecurringTask> tasks) {
        RecurringTask worst = worst(tasks);
        return worst == null ? null : node.traceOfFailure(worst.handler() != null, worst.id());
    }

    /**
     * Returns which runs of this node go on for long, of which the one that most needs a look is named; null if none
     * does.
     */
    static @Nullable Finding longRun(
            List<RunHere> runs, List<RecurringTask> recurring, @Nullable Duration limit, Instant now) {
        List<RunHere> found = runs.stream()
                .filter(run -> run.forNanos() >= LONG.toNanos() || isPast(limit, run))
                .toList();
        RunHere worst = found.stream()
                .max(Comparator.<RunHere, Boolean>comparing(
                                run -> isPast(limit, run) || isPastNext(run, recurring, now))
                        .thenComparingLong(RunHere::forNanos))
                .orElse(null);
        if (worst == null) {
            return null;
        }
        String text = (found.size() == 1 ? "Durable task " : found.size() + " durable tasks are still running here: ")
                + nameOf(worst) + " has been running " + (found.size() == 1 ? "on this node " : "") + "for "
                + about(Duration.ofNanos(worst.forNanos()));
        String why = isPastNext(worst, recurring, now)
                ? ", longer than its interval"
                : isPast(limit, worst) ? ", longer than the limit of " + about(Objects.requireNonNull(limit)) : "";
        return new Finding(
                "durableLongRun",
                why.isEmpty() ? Severity.INFO : Severity.WARNING,
                EndpointAnswers.shown(text + why + "; a thread dump may show the reason"));
    }

    private static boolean isPast(@Nullable Duration limit, RunHere run) {
        return limit != null && Duration.ofNanos(run.forNanos()).compareTo(limit) > 0;
    }

    /** Whether the task's next run was due meanwhile. */
    private static boolean isPastNext(RunHere run, List<RecurringTask> recurring, Instant now) {
        if (!run.name().startsWith(Handler.RECURRING)) {
            return false;
        }
        String handler = run.name().equals(Handler.MADE) ? run.handler() : null;
        return recurring.stream()
                .filter(task -> task.id().equals(run.id()) && Objects.equals(task.handler(), handler))
                .anyMatch(task -> isPastNext(task, now));
    }

    private static boolean isPastNext(RecurringTask task, Instant now) {
        Instant due = task.dueAt();
        if (due == null || task.schedule().startsWith("fixed-delay")) {
            return false;
        }
        try {
            Instant next = RecurringTable.parse(task.schedule()).next(due, due);
            return next != null && next.isBefore(now);
        } catch (RuntimeException ex) {
            // A Recurrence of a user's has a text of its own.
            return false;
        }
    }

    private static String nameOf(RunHere run) {
        boolean isMethod =
                run.name().startsWith(Handler.RECURRING) && !run.name().equals(Handler.MADE);
        return EndpointAnswers.named(isMethod ? run.id() : run.handler() + " " + run.id());
    }

    /** Returns the exception of the last run without its package. */
    private static String with(RecurringTask task, String before) {
        String line = DurableTaskDescriptor.firstLine(task.failure());
        if (line == null) {
            return "";
        }
        int end = line.indexOf(':') < 0 ? line.length() : line.indexOf(':');
        return before + EndpointAnswers.printable(line.substring(line.lastIndexOf('.', end - 1) + 1));
    }

    private static String waitingFor(List<String> names) {
        String named = names.stream().limit(NAMED).collect(Collectors.joining("', '", "'", "'"));
        String more = names.size() > NAMED ? " and " + (names.size() - NAMED) + " more" : "";
        return "Durable tasks are waiting for "
                + (names.size() == 1
                        ? "the handler " + named + ", which no node has"
                        : "handlers that no node has: " + named + more);
    }

    private static void add(List<Finding> found, String rule, int number, String one, String many) {
        if (number > 0) {
            String atLeast = number >= DurableOverview.MOST ? "At least " : "";
            String text = atLeast + counted(number, "durable task") + " " + (number == 1 ? one : many);
            found.add(new Finding(rule, Severity.WARNING, text));
        }
    }

    private static String counted(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    /** Returns what the database has said lately; null if it has not answered yet. */
    private @Nullable Seen seen(Instant now) {
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
    private void ask(CompletableFuture<Seen> answer) {
        Thread thread = origin.newDaemon(
                () -> {
                    try {
                        boolean ignored = answer.complete(new Seen(
                                engine.overview(), engine.recurringTasks().list()));
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
