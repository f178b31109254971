package io.github.wheelscheduler.durable.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.printable;

import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.autoconfigure.endpoint.UnknownNameException;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.DurableNode.RunHere;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.operator.FoundTasks;
import io.github.wheelscheduler.durable.internal.operator.HandlerCounts;
import io.github.wheelscheduler.durable.internal.operator.RowFilter;
import io.github.wheelscheduler.durable.internal.operator.RowSearch;
import io.github.wheelscheduler.durable.internal.operator.TaskDetails;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;

/** Looks tasks up for the endpoint. Any thread. */
final class DurableLookup {

    private final Log log;
    private final DurableEngine engine;
    private final DurableNode node;
    private final PayloadText payloads;
    private final @Nullable String traceUrl;

    /** Null until the database has been asked. Writers: any thread; one is as good as another. */
    private volatile @Nullable RowSearch search;

    /**
     * @param traceUrl where a trace is, with {@code {traceId}} in place of its id; null for unknown
     * @param log takes a line for each look at a payload
     */
    DurableLookup(DurableEngine engine, PayloadText payloads, @Nullable String traceUrl, Log log) {
        this.traceUrl = traceUrl;
        this.log = log;
        this.engine = engine;
        this.node = DurableNode.of(engine);
        this.payloads = payloads;
    }

    /**
     * The caller of a lookup.
     *
     * @param name for the log
     * @param mayShow whether payloads are shown
     * @param maySteer whether the endpoint may be written to
     */
    record Viewer(String name, boolean mayShow, boolean maySteer) {}

    Tables tables() {
        return node.tables();
    }

    RowSearch search() {
        RowSearch known = search;
        if (known == null) {
            known = new RowSearch(node.tables());
            search = known;
        }
        return known;
    }

    DurableHandlersDescriptor handlers() {
        HandlerCounts.All all = new HandlerCounts(node).all();
        return new DurableHandlersDescriptor(
                Instant.now(),
                RowSearch.MOST_READ,
                all.handlers().stream()
                        .map(one -> new DurableHandlersDescriptor.OfHandler(
                                one.handler(),
                                one.scheduled(),
                                one.claimed(),
                                one.running(),
                                one.failed(),
                                one.unreadable(),
                                one.recurring(),
                                one.isUnknown()))
                        .toList(),
                all.isCut(),
                all.areManyClaimed());
    }

    /** @throws IllegalArgumentException if the query makes no sense */
    DurablePageDescriptor page(DurableQuery query) {
        RowFilter filter = query.filter();
        FoundTasks found = search().find(filter, query.after(), query.atMost());
        FoundTasks.Count count = query.shows("count") ? search().count(filter, null) : null;
        Map<List<String>, Duration> running = running();
        String id = filter.id();
        RecurringTaskDescriptor recurring =
                id == null || filter.handler() != null || filter.state() != null || query.error() != null
                        ? null
                        : engine.recurringTasks()
                                .find(id)
                                .map(RecurringTaskDescriptor::of)
                                .orElse(null);
        return new DurablePageDescriptor(
                found.tasks().stream()
                        .map(task -> DurableTaskDescriptor.of(task, running.get(keyOf(task))))
                        .toList(),
                found.after(),
                found.isCut(),
                count == null ? null : count.matching(),
                count == null ? null : count.isMore(),
                recurring);
    }

    /** Recurring tasks that were made at run time have one name, and ids of their own. */
    private static List<String> keyOf(DurableTask task) {
        String name = task.handler();
        return List.of(
                name.startsWith(Handler.RECURRING) ? name.equals(Handler.RECURRING) ? name : Handler.MADE : name,
                task.id());
    }

    private Map<List<String>, Duration> running() {
        return node.runsHere().stream()
                .collect(Collectors.toMap(
                        run -> List.of(run.name(), run.id()),
                        (RunHere run) -> Duration.ofNanos(run.forNanos()),
                        (one, other) -> one));
    }

    /**
     * Returns one task, with its payload if it is asked for, which is logged.
     *
     * @throws UnknownNameException if there is none
     */
    DurableDetailsDescriptor task(String handler, String id, boolean showsPayload, Viewer viewer) {
        Arguments.requireHandler(handler);
        Arguments.requireId(id);
        TaskDetails details = TaskDetails.ofTask(tables(), handler, id);
        Optional<DurableTask> found = engine.find(handler, id);
        if (found.isEmpty() || details == null) {
            throw UnknownNameException.of("id must be that of a task of " + handler + ", was " + id);
        }
        DurableTask task = found.get();
        Shown text = showsPayload ? show(details, id, handler, viewer) : null;
        return new DurableDetailsDescriptor(
                Instant.now(),
                viewer.maySteer(),
                handler,
                id,
                task.state(),
                task.dueAt(),
                details.firstDueAt(),
                task.owner(),
                running().get(keyOf(task)),
                details.attempt(),
                details.retries(),
                task.failures(),
                task.lastFailureAt(),
                details.deaths(),
                details.error(),
                details.isErrorCut(),
                details.traceId(),
                TraceUrl.of(traceUrl, details.traceId()),
                details.payloadBytes(),
                viewer.mayShow(),
                text == null ? null : text.json(),
                text != null && text.isCut(),
                text == null ? null : text.format());
    }

    /**
     * The payload as a viewer sees it.
     *
     * @param format the name of its format; null if nothing says it, or it is not shown
     */
    record Shown(String json, boolean isCut, @Nullable String format) {}

    /** Logs the look. */
    private Shown show(TaskDetails details, String id, String handler, Viewer viewer) {
        log.info("The payload of the durable task " + printable(id) + " of " + printable(handler)
                + (viewer.mayShow() ? " was shown to " : " was not shown to ") + printable(viewer.name()));
        TaskDetails.Payload payload = viewer.mayShow() ? details.payload(tables(), id, PayloadText.MOST_BYTES) : null;
        if (payload == null) {
            return new Shown(SanitizableData.SANITIZED_VALUE, false, null);
        }
        PayloadText.Text text = payloads.of(payload);
        return new Shown(text.json(), text.isCut(), payload.format());
    }

    /**
     * Returns one recurring task, with its payload if it is asked for, which is logged. Only a task that was made at
     * run time has one.
     *
     * @throws UnknownNameException if there is none
     */
    RecurringDetailsDescriptor recurring(String id, boolean showsPayload, Viewer viewer) {
        RecurringTask task = engine.recurringTasks().find(id).orElse(null);
        String handler = task == null ? null : task.handler();
        String name = handler == null ? Handler.RECURRING : Handler.MADE;
        TaskDetails details = TaskDetails.ofTask(tables(), name, id);
        if (task == null || details == null) {
            throw UnknownNameException.of("No recurring durable task named " + id);
        }
        return RecurringDetailsDescriptor.of(
                task,
                details,
                viewer,
                running().get(List.of(name, id)),
                TraceUrl.of(traceUrl, details.traceId()),
                showsPayload && handler != null ? show(details, id, handler, viewer) : null);
    }

    /**
     * Returns a page of recurring tasks by id.
     *
     * @throws IllegalArgumentException if the query asks for something else
     */
    DurableRecurringDescriptor recurring(DurableQuery query) {
        if (query.state() != null || query.error() != null || query.id() != null) {
            throw new IllegalArgumentException(
                    "state, error and id apply to one-time tasks only, not to recurring ones");
        }
        int atMost = query.atMost();
        String prefix = Objects.requireNonNullElse(query.prefix(), "");
        String handler = query.handler();
        String after = Objects.requireNonNullElse(query.after(), "");
        Arguments.requireText("after", after);
        List<RecurringTask> read = tables().recurring()
                .page(after, prefix.isEmpty() && handler == null ? atMost + 1 : RowSearch.MOST_READ);
        List<RecurringTask> found = read.stream()
                .filter(task -> task.id().startsWith(prefix) && (handler == null || handler.equals(task.handler())))
                .limit(atMost + 1L)
                .toList();
        boolean isMore = found.size() > atMost;
        boolean isCut = !isMore && read.size() == RowSearch.MOST_READ;
        return new DurableRecurringDescriptor(
                found.stream().limit(atMost).map(RecurringTaskDescriptor::of).toList(),
                isMore
                        ? found.get(atMost - 1).id()
                        : isCut ? read.get(read.size() - 1).id() : null,
                isCut);
    }
}
