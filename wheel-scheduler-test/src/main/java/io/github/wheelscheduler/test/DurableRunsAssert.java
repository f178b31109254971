package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEnd.Kind;
import java.util.List;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Assertions on runs of durable tasks that have ended. */
public final class DurableRunsAssert extends AbstractAssert<DurableRunsAssert, DurableRuns> {

    DurableRunsAssert(DurableRuns actual) {
        super(actual, DurableRunsAssert.class);
    }

    /** Requires a run of that handler that has ended well. */
    public EndAssert ran(String handler) {
        return find(handler, "A run of '" + handler + "' must have ended well", List.of(Kind.DONE, Kind.AGAIN));
    }

    /** Requires a run of that handler that has failed, whether it is retried or not. */
    public EndAssert failed(String handler) {
        return find(handler, "A run of '" + handler + "' must have failed", List.of(Kind.RETRIED, Kind.GIVEN_UP));
    }

    /**
     * Requires that no run has ended, of any handler. A task that was cancelled or taken over before it ran is none.
     */
    public DurableRunsAssert nothingRan() {
        isNotNull();
        if (!actual.ofRuns().isEmpty()) {
            failWithMessage("No run must have ended, but these have: %s", actual.ofRuns());
        }
        return this;
    }

    private EndAssert find(String handler, String rule, List<Kind> kinds) {
        isNotNull();
        List<DurableEnd> found = actual.ends().stream()
                .filter(end -> end.handler().equals(handler) && kinds.contains(end.kind()))
                .toList();
        if (found.isEmpty()) {
            failWithMessage(
                    "%s, but none has; ended runs: %s%s", rule, actual.ofRuns(), actual.whatIsScheduled() + hint());
        }
        return new EndAssert(found);
    }

    private static String hint() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                ? ". The test is in a transaction, of which no node sees anything: DurableTime runs its tasks once"
                        + " they are due"
                : "";
    }

    /** Assertions on the ends of a handler, of which at least one fits all that was asked for. */
    public static final class EndAssert extends AbstractAssert<EndAssert, List<DurableEnd>> {

        private EndAssert(List<DurableEnd> fitting) {
            super(fitting, EndAssert.class);
        }

        /** Requires that one of them is of that task. */
        public EndAssert withId(String id) {
            return only("must be of the task " + id, end -> end.id().equals(id));
        }

        /** Requires that one of them was that attempt, from 1. */
        public EndAssert atAttempt(int attempt) {
            return only("must be of attempt " + attempt, end -> end.attempt() == attempt);
        }

        /** Requires that the task has failed for good. */
        public EndAssert forGood() {
            return only("must be given up", end -> end.kind() == Kind.GIVEN_UP);
        }

        /** Requires that so many of them fit. */
        public EndAssert times(int times) {
            if (actual.size() != times) {
                failWithMessage("There must be %s such ends, were %s: %s", times, actual.size(), actual);
            }
            return this;
        }

        private EndAssert only(String rule, Predicate<DurableEnd> condition) {
            List<DurableEnd> left = actual.stream().filter(condition).toList();
            if (left.isEmpty()) {
                failWithMessage("An end %s, but none is; matching so far: %s", rule, actual);
            }
            return new EndAssert(left);
        }
    }
}
