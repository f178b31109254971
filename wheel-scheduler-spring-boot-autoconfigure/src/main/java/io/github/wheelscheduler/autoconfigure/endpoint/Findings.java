package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.autoconfigure.endpoint.SchedulerDescriptor.State;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSurvey;
import io.github.wheelscheduler.spring.task.UnknownTaskException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Problems of the schedulers, their tasks and their groups, in sentences. Any thread. */
final class Findings {

    /** So many are shown. */
    static final int MOST = 20;

    private final Supplier<Stream<FindingSource>> sources;
    private final @Nullable String traceUrl;
    private final CountRises rises = new CountRises();

    /**
     * Makes one that asks also others, anew each time.
     *
     * @param traceUrl where a trace is, with {@code {traceId}} in place of its id; null for unknown
     */
    Findings(Supplier<Stream<FindingSource>> sources, @Nullable String traceUrl) {
        this.sources = sources;
        this.traceUrl = traceUrl;
    }

    /**
     * A scheduler and its state as it was seen.
     *
     * @param named the scheduler
     * @param tasks the survey of its tasks
     */
    record Seen(SchedulerBeans.Named named, SchedulerDescriptor descriptor, TaskSurvey.OfScheduler tasks) {

        static Seen of(
                SchedulerBeans.Named named,
                TaskSurvey.OfScheduler tasks,
                boolean isWheelShown,
                SchedulerDescriptor.@Nullable Pause pause) {
            return new Seen(
                    named, SchedulerDescriptor.of(named, tasks.tasks(), tasks.waiting(), isWheelShown, pause), tasks);
        }
    }

    /**
     * Returns what is wrong: schedulers that are held back, and then the worst first, and that of the schedulers before
     * that of others.
     */
    List<Finding> of(List<Seen> schedulers, Instant now) {
        Set<State> said = schedulers.stream()
                .map(Seen::descriptor)
                .filter(seen -> seen.group() == null)
                .map(SchedulerDescriptor::state)
                .collect(Collectors.toSet());
        List<Finding> all = new ArrayList<>();
        for (Seen one : schedulers) {
            SchedulerDescriptor seen = one.descriptor();
            Instant ofClock = one.named().scheduler().getClock().instant();
            List<Finding> found = new SchedulerFindings(
                            seen,
                            () -> one.named()
                                    .scheduler()
                                    .getWheelScheduledExecutor()
                                    .runningFor(Duration.ZERO),
                            rises,
                            ofClock)
                    .all();
            // A group stops with its scheduler, which says so.
            boolean isSaid = seen.group() != null && said.contains(seen.state());
            found.stream()
                    .filter(finding -> !isSaid || !finding.rule().equals(SchedulerFindings.STATE))
                    .forEach(all::add);
            all.addAll(new TaskFindings(
                            seen,
                            one.tasks(),
                            ofClock,
                            one.named().scheduler().getWarningLimits().run(),
                            id -> traceUrl == null
                                    ? null
                                    : lastTrace(one.named().registry(), id))
                    .all());
        }
        addOthers(now, all);
        return all.stream()
                .sorted(Comparator.comparing(Findings::isHeldBack, Comparator.reverseOrder())
                        .thenComparing(Finding::severity))
                .limit(MOST)
                .toList();
    }

    /** Returns where the trace of a task's last failure is; null if that is unknown, or the task has gone. */
    private @Nullable String lastTrace(TaskRegistry tasks, String id) {
        try {
            return tasks.lastError(id)
                    .map(error -> TraceUrl.of(traceUrl, error.traceId()))
                    .orElse(null);
        } catch (UnknownTaskException ex) {
            return null;
        }
    }

    /** A paused scheduler explains all other problems, and stands on each view of the page. */
    private static boolean isHeldBack(Finding finding) {
        return finding.rule().equals(SchedulerFindings.STATE) && finding.severity() == Finding.Severity.WARNING;
    }

    /**
     * Adds what other sources find. Where some fail, one finding says that, as an answer without the others would say
     * less.
     */
    private void addOthers(Instant now, List<Finding> all) {
        List<String> failed = new ArrayList<>();
        Throwable first = null;
        for (FindingSource source : made(all)) {
            try {
                all.addAll(source.findings(now));
            } catch (RuntimeException | Error ex) {
                failed.add(NamedTask.of(source));
                first = first == null ? ex : first;
            }
        }
        if (first != null) {
            all.add(unknown(String.join(" and ", failed), "the check failed", first));
        }
    }

    private List<FindingSource> made(List<Finding> all) {
        try {
            return sources.get().toList();
        } catch (RuntimeException | Error ex) {
            all.add(unknown("all but schedulers and their tasks", "a source cannot be made, and failed", ex));
            return List.of();
        }
    }

    private static Finding unknown(String of, String why, Throwable ex) {
        String text = "Problems of " + of + " are unknown: " + why + " with "
                + ex.getClass().getName();
        return new Finding("findings", Finding.Severity.WARNING, EndpointAnswers.printable(text));
    }
}
