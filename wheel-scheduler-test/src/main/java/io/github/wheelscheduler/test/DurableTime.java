package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.UncommittedRuns;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs durable tasks when a test says so; a bean of a test in virtual time.
 *
 * <p>In a test without a transaction, tasks run on the workers of their node, as in production, and these verbs are
 * short for those of {@link VirtualTime}. In the test's own transaction, which is rolled back in the end, they run the
 * tasks that it has scheduled and not committed. These run on the thread and the connection of the test, each between a
 * savepoint and its release or rollback, with retries and ends. Committed tasks are left to their node.
 *
 * <pre>{@code
 * @Test
 * @Transactional
 * void orderIsConfirmed() {
 *     orders.place("42");
 *     durable.runDue();
 *     assertThat(mails.sent()).containsExactly("42 is confirmed");
 * }
 * }</pre>
 *
 * <p>The thread of the test.
 */
public final class DurableTime {

    private final DurableEngine engine;
    private final VirtualTime time;
    private final DurableRuns runs;

    DurableTime(DurableEngine engine, VirtualTime time, DurableRuns runs) {
        this.engine = engine;
        this.time = time;
        this.runs = runs;
    }

    /**
     * Runs what is due now, and what that schedules for now, in the order of due times; no retry that is due later.
     * Returns the ends.
     *
     * @throws IllegalStateException in a transaction that is not the test's own, or that is to be committed
     */
    public DurableRuns runDue() {
        return runDue("runDue()", 0);
    }

    /**
     * Does the same on the workers of the node.
     *
     * @throws IllegalStateException in a transaction, of which workers see nothing
     */
    public DurableRuns runDueOnWorkers() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("Workers must not run tasks while the test is in a transaction, of which"
                    + " they see nothing: use runDue(), or commit what the test schedules");
        }
        return runDue("runDueOnWorkers()", 0);
    }

    /**
     * Does the same as {@link #runDue()}, and retries failed tasks up to this number of times. Time moves to each of
     * these retries, and other tasks that are due then run, too.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public DurableRuns runDue(int retries) {
        if (retries < 0) {
            throw new IllegalArgumentException("retries must not be negative, was " + retries);
        }
        return runDue("runDue(" + retries + ")", retries);
    }

    private DurableRuns runDue(String verb, int retries) {
        UncommittedRuns own = own();
        return during(verb, cap -> {
            int before = runs.ends().size();
            runNow(own, cap);
            for (Instant next = nextRetry(before, retries); next != null; next = nextRetry(before, retries)) {
                time.advanceTo(next);
                runNow(own, cap);
            }
        });
    }

    private DurableRuns during(String verb, Consumer<RunCap> action) {
        return runs.during(() -> time.inOneCap(verb, action));
    }

    private @Nullable Instant nextRetry(int before, int retries) {
        List<DurableEnd> all = runs.ends();
        Map<List<String>, Integer> failures = new HashMap<>();
        Instant next = null;
        for (DurableEnd end : all.subList(before, all.size())) {
            Instant at = end.nextAt();
            if (end.kind() == DurableEnd.Kind.RETRIED
                    && failures.merge(List.of(end.handler(), end.id()), 1, Integer::sum) <= retries
                    && at != null
                    && at.isAfter(time.now())
                    && (next == null || at.isBefore(next))) {
                next = at;
            }
        }
        return next;
    }

    /**
     * Lets time pass until no one-time task is scheduled any more, retries included. Returns the ends.
     *
     * @param limit so much time may pass
     * @throws IllegalArgumentException if the limit is negative or too long
     * @throws AssertionError if a task is still scheduled then
     */
    public DurableRuns runUntilIdle(Duration limit) {
        Instant end = time.endOf(limit);
        UncommittedRuns own = own();
        return during("runUntilIdle(" + limit + ")", cap -> {
            if (own != null) {
                runOwnUntilIdle(own, limit, end, cap);
            } else if (!isIdle()) {
                time.advanceUntil(
                        this::isIdle, limit, "No one-time task must be scheduled any more", this::whatIsScheduled);
            }
        });
    }

    private boolean isIdle() {
        return engine.scheduledHandlers().isEmpty();
    }

    private String whatIsScheduled() {
        List<String> scheduled = engine.scheduledHandlers();
        DurableNode node = DurableNode.of(engine);
        List<String> unknown = scheduled.stream()
                .filter(name -> node.lacks(name) && !node.handlersOfNodes().contains(name))
                .toList();
        return " (there are tasks of " + scheduled + (unknown.isEmpty() ? "" : "; no node has a handler of " + unknown)
                + ")";
    }

    private void runOwnUntilIdle(UncommittedRuns own, Duration limit, Instant end, RunCap cap) {
        runNow(own, cap);
        Optional<Instant> next = own.nextDue();
        while (next.isPresent()) {
            if (next.get().isAfter(end)) {
                throw new AssertionError("No task of the transaction must be scheduled any more after " + exactly(limit)
                        + ", but one is, for " + next.get());
            }
            time.advanceTo(later(own.nextDueOfAll().orElse(next.get())));
            runNow(own, cap);
            next = own.nextDue();
        }
    }

    private Instant later(Instant instant) {
        Instant now = time.now();
        return instant.isBefore(now) ? now : instant;
    }

    /**
     * Returns the first end of a run of a task in this test: at once if it has been recorded, or else after so much
     * time has passed as it takes. A task that is cancelled before it runs has none.
     *
     * @param limit so much time may pass
     * @throws IllegalArgumentException if the limit is negative or too long
     * @throws AssertionError if no run has ended within the limit
     */
    public DurableEnd awaitEnd(String handler, String id, Duration limit) {
        Instant last = time.endOf(limit);
        DurableRuns.Search first = runs.firstOf(handler, id);
        if (first.find() != null) {
            return first.get();
        }
        UncommittedRuns own = own();
        if (own == null) {
            time.advanceUntil(() -> first.find() != null, limit, ruleOf(handler, id), () -> "");
        } else {
            String verb = "awaitEnd(" + handler + ", " + id + ", " + limit + ")";
            time.inOneCap(verb, cap -> awaitOwn(own, first, ruleOf(handler, id), last, cap));
        }
        return first.get();
    }

    private void awaitOwn(UncommittedRuns own, DurableRuns.Search first, String rule, Instant last, RunCap cap) {
        runNow(own, cap);
        while (first.find() == null) {
            Optional<Instant> next = own.nextDueOfAll().map(this::later).filter(instant -> !instant.isAfter(last));
            if (next.isPresent()) {
                time.advanceTo(next.get());
                runNow(own, cap);
            } else {
                // Nothing of the transaction runs until then, but a committed task may.
                time.advanceUntil(() -> first.find() != null, Duration.between(time.now(), last), rule, () -> "");
            }
        }
    }

    private static String ruleOf(String handler, String id) {
        return "A run of '" + handler + "' " + id + " must have ended";
    }

    private void runNow(@Nullable UncommittedRuns own, RunCap cap) {
        if (own == null) {
            time.runCurrent();
        } else {
            own.runDue(cap::countRunOf, runs::add);
        }
    }

    /** Returns what runs in the transaction of the test; null if it has none. */
    private @Nullable UncommittedRuns own() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        if (!isOfTest()) {
            throw refused("was not begun by Spring's test framework");
        }
        if (!TestTransaction.isFlaggedForRollback()) {
            throw refused("is to be committed");
        }
        return UncommittedRuns.of(engine, TransactionResources.newScope());
    }

    /** One that has been begun within that of the test has another name, or none. */
    private boolean isOfTest() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return TestTransaction.isActive() && name != null && time.turn().mayBeOfTest(name);
    }

    private static IllegalStateException refused(String what) {
        return new IllegalStateException("Durable tasks must run in the test's own transaction that is rolled back, or"
                + " without one, but this transaction " + what + ". End it first, then advance the VirtualTime");
    }
}
