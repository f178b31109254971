package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.internal.DurableRunNotes;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Writes each steering into the audit. Any thread. */
final class HistoryAudit implements SteeringListener {

    /** Kinds of targets whose rows have the scheduler of durable tasks: one, a handler, several, and recurring ones. */
    private static final Set<String> DURABLE =
            Set.of("durable", "durable task", "durable tasks", "recurring durable task");

    private final Supplier<HistoryEngine> history;
    private final Supplier<Instant> now;

    HistoryAudit(Supplier<HistoryEngine> history, Supplier<Instant> now) {
        this.history = history;
        this.now = now;
    }

    @Override
    public void steered(Steering steering) {
        HistoryEngine engine = history.get();
        engine.audit(entry(steering, engine.settings().node(), now.get()));
    }

    /** Rows of durable tasks have a scheduler of their own. */
    private static String schedulerOf(Steering.Target target) {
        boolean isDurableTask = target.task() != null && DURABLE.contains(target.kind());
        return isDurableTask
                ? DurableRunNotes.SCHEDULER
                : Objects.requireNonNullElse(target.scheduler(), target.kind());
    }

    static AuditEntry entry(Steering steering, String node, Instant at) {
        Steering.Target target = steering.target();
        String filter = target.filter();
        String from =
                filter == null || filter.equals(steering.from()) ? steering.from() : filter + ", " + steering.from();
        return new AuditEntry(
                at,
                node,
                schedulerOf(target),
                target.task(),
                target.instance(),
                steering.action(),
                steering.channel().name().toLowerCase(Locale.ROOT),
                steering.who(),
                filter != null && steering.from() == null ? filter : from,
                steering.to(),
                steering.reason(),
                steering.refusal());
    }
}
