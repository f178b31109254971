package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.internal.Context.Tally;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.Runs.Outcome;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.UnexpectedRollbackException;

/**
 * Runs tasks that the transaction of the calling thread has written and has not committed, on its thread and its
 * connection, each between a savepoint and its release or rollback. Runs and their ends are those of production, in the
 * transaction of the caller. For tests, whose transaction is rolled back. One thread.
 */
public final class UncommittedRuns {

    private final DurableNode node;
    private final Tables tables;
    private final Scope scope;

    /** Rows that are not the transaction's. */
    private final Set<RowKey> foreign = new HashSet<>();

    /** The state of a transaction beside its connection, such as changes that JPA has not flushed. */
    public interface Scope {

        /** Sends changes that have not been sent. */
        void flush();

        /** Forgets what was read and changed, as a rollback to a savepoint has undone it. */
        void clear();

        /** Whether the transaction is marked for rollback. */
        boolean isMarked();

        /** Takes the mark back; false if that cannot be done. */
        boolean unmark();
    }

    private UncommittedRuns(DurableNode node, Scope scope) {
        this.node = node;
        this.tables = node.database.tables();
        this.scope = scope;
    }

    /**
     * Returns those of the present transaction.
     *
     * @throws IllegalStateException if the thread has no transaction on the DataSource of the tasks, or one that is
     *     marked for rollback
     */
    public static UncommittedRuns of(OneTimeTasks tasks, Scope scope) {
        UncommittedRuns runs = new UncommittedRuns(tasks.node, scope);
        if (!runs.tables.sql().isInCallersTransaction()) {
            throw new IllegalStateException(
                    "The transaction must be on the DataSource of the durable tasks, but has no connection of it");
        }
        if (scope.isMarked()) {
            throw new IllegalStateException(
                    "The transaction must not be marked for rollback, was before the first run");
        }
        return runs;
    }

    /** Returns when the first one-time task of the transaction is due that this node has a handler for. */
    public Optional<Instant> nextDue() {
        return nextDue(row -> row.made() == null);
    }

    /** Returns the same of one-time and recurring tasks. */
    public Optional<Instant> nextDueOfAll() {
        return nextDue(row -> true);
    }

    private Optional<Instant> nextDue(Predicate<TaskRow> condition) {
        scope.flush();
        return ours(tables.claims().waiting(null).stream().filter(condition).toList()).stream()
                .map(TaskRow::dueAt)
                .findFirst();
    }

    /**
     * Runs what is due now, in the order of due times, and what that schedules for now.
     *
     * @param beforeRun receives the name of the handler before each run, and may throw in order to end this
     * @param ended receives each end at once, also if a later run fails this
     */
    public void runDue(Consumer<String> beforeRun, Consumer<DurableEnd> ended) {
        boolean hasRun;
        do {
            hasRun = false;
            scope.flush();
            for (TaskRow row : ours(tables.claims().waiting(node.now()))) {
                if (tables.claims().pick(node.incarnation(), row.key())) {
                    hasRun = true;
                    beforeRun.accept(row.handlerName());
                    DurableEnd end = new InTransaction(row.withNextVersion()).run();
                    if (end != null) {
                        ended.accept(end);
                    }
                }
            }
        } while (hasRun);
    }

    /** Returns the rows of which others see none or another version, and that this node has a handler for. */
    private List<TaskRow> ours(List<TaskRow> rows) {
        List<TaskRow> unknown = rows.stream()
                .filter(row ->
                        !foreign.contains(row.key()) && node.context.handlers().find(row.handlerName()) != null)
                .toList();
        if (!unknown.isEmpty()) {
            Set<RowKey> hidden = unknown.stream().map(TaskRow::key).collect(Collectors.toCollection(HashSet::new));
            boolean ignored = foreign.addAll(hidden);
            ignored = hidden.removeAll(tables.sql().seenByOthers(hidden));
            ignored = foreign.removeAll(locked(tables.sql().perhapsThere(hidden)));
        }
        return unknown.stream().filter(row -> !foreign.contains(row.key())).toList();
    }

    /**
     * Returns the ones of some rows that are still there. A node may have deleted or changed a row since the
     * transaction read it: only a lock shows rows as they are now, or is refused.
     */
    private Set<RowKey> locked(Set<RowKey> rows) {
        Savepoint savepoint = tables.sql().setSavepoint();
        try {
            Set<RowKey> locked = tables.ends().lockOurs(rows);
            tables.sql().release(savepoint);
            return locked;
        } catch (ConcurrencyFailureException ex) {
            tables.sql().rollBackTo(savepoint);
            return rows.size() == 1
                    ? Set.of()
                    : rows.stream().flatMap(row -> locked(Set.of(row)).stream()).collect(Collectors.toSet());
        }
    }

    /** One run. */
    private final class InTransaction {

        private final Claim claim;
        private final Handler<?> handler;
        private final boolean isTransactional;
        private final Runs runs;

        /** Whether the handler has returned, and its transaction is not marked. */
        private boolean hasReturned;

        private InTransaction(TaskRow row) {
            this.claim = new Claim(row, node.incarnation());
            if (claim.payload == null) {
                claim.payload = tables.claims().payload(row.key());
            }
            Handler<?> original = Objects.requireNonNull(node.context.handlers().find(row.handlerName()));
            this.isTransactional = original.transactions() != null;
            this.handler = joined(original);
            Handlers handlers = new Handlers(DurableObserver.NONE);
            handlers.add(handler);
            this.runs = new Runs(node.context.apart(handlers, new Tally()), tables);
        }

        /** The transaction is that of the caller, so the handler needs none of its own. */
        private <T> Handler<T> joined(Handler<T> original) {
            return original.with(null, (payload, run) -> {
                DurableOutcome outcome = original.body().run(payload, run);
                // A later failure is not the handler's, so its rules for exceptions do not apply.
                claim.hasThrown = false;
                if (!scope.isMarked()) {
                    scope.flush();
                } else if (isTransactional) {
                    throw new UnexpectedRollbackException(
                            "The run has marked its transaction for rollback, so it has failed");
                }
                hasReturned = outcome != null;
                return outcome;
            });
        }

        /**
         * Returns its end; null if it has none: nobody can read the row, or the run has deleted it. The work of a
         * transactional handler that has deleted it is then rolled back, as in production.
         */
        @Nullable
        DurableEnd run() {
            Savepoint savepoint = tables.sql().setSavepoint();
            Outcome outcome = runs.run(claim, node.now());
            // The thread is that of the test.
            Runs.clearInterrupt();
            RowEnd end = Objects.requireNonNull(outcome.end()).end();
            if (hasReturned && isGood(end)) {
                requireNoMark(
                        "a call that joined it has marked it or failed. In production, that call has a transaction of "
                                + "its own");
                try {
                    if (end.write().getAsBoolean()) {
                        tables.sql().release(savepoint);
                        return end.notice();
                    }
                    // The run has deleted its row, or changed it.
                    if (isTransactional) {
                        rollBackTo(savepoint);
                    }
                    tables.sql().release(savepoint);
                    return null;
                } catch (RuntimeException ex) {
                    // As a commit that is refused.
                    end = runs.afterFailure(claim, claim.toString(), handler, ex);
                }
            }
            rollBackTo(savepoint);
            boolean isOurs = end.write().getAsBoolean();
            tables.sql().release(savepoint);
            return isOurs ? end.notice() : null;
        }

        /** Whether what the run has done stays: a handler that has returned may still have failed. */
        private static boolean isGood(RowEnd end) {
            return end.notice() != null && end.notice().thrown() == null;
        }

        private void rollBackTo(Savepoint savepoint) {
            tables.sql().rollBackTo(savepoint);
            scope.clear();
            if (scope.isMarked() && !scope.unmark()) {
                requireNoMark("it has, and JPA cannot remove the mark");
            }
        }

        private void requireNoMark(String why) {
            if (scope.isMarked()) {
                throw new IllegalStateException("The run of " + claim + " must not leave the test's transaction marked"
                        + " for rollback, but " + why
                        + ". Leave @Transactional out of this test, and advance its VirtualTime");
            }
        }
    }
}
