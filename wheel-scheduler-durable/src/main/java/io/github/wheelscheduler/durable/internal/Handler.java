package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * A handler of this node.
 *
 * @param mostRunning the maximum number of its concurrent runs on this node
 * @param timeLimit the time after which a run is interrupted; null for never
 * @param transactions the manager of the transaction in which a task runs and its end is written; null if the end is
 *     written by itself
 * @param recurrence the schedule of its runs; null for one-time tasks
 * @param skipsMissed whether a recurring run that is much too late is left out
 */
public record Handler<T>(
        String name,
        Type payloadType,
        RetryPolicy retries,
        int mostRunning,
        @Nullable Duration timeLimit,
        @Nullable PlatformTransactionManager transactions,
        DecidingBody<? super T> body,
        @Nullable Recurrence recurrence,
        boolean skipsMissed) {

    /** The name in the rows of all recurring tasks; with an id behind it, that of one of them on a node. */
    public static final String RECURRING = "recurring:";

    /**
     * The name in the rows of all recurring tasks that are made at run time; the column {@code made_for} has their
     * handler.
     */
    public static final String MADE = RECURRING + "made";

    private static final Duration TOO_LATE = Duration.ofSeconds(10);

    /**
     * Returns the name of the handler that a row is for. No handler has a name that ends in a space, but MariaDB finds
     * such rows by the name without.
     */
    static String known(String name) {
        int length = name.length();
        while (length > 0 && name.charAt(length - 1) == ' ') {
            length--;
        }
        return name.substring(0, length);
    }

    /** Returns the id of a recurring task. */
    String id() {
        return name.substring(RECURRING.length());
    }

    /** @throws Exception what the body throws, or if the payload cannot be read */
    @SuppressWarnings("unchecked") // what is read as the type of the handler is of that type
    DurableOutcome run(byte[] payload, @Nullable String format, Payloads payloads, DurableRun run) throws Exception {
        // The row of a recurring task says what its schedule is.
        return body.run(recurrence != null ? null : (T) payloads.read(payload, format, payloadType), run);
    }

    /** Returns it with other transactions, and what it runs. */
    Handler<T> with(@Nullable PlatformTransactionManager others, DecidingBody<? super T> other) {
        return new Handler<>(
                name, payloadType, retries, mostRunning, timeLimit, others, other, recurrence, skipsMissed);
    }

    // By identity, as parts of it are the user's, whose answers may fail or change.

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    boolean leavesOut(Instant dueAt, Instant now) {
        return recurrence != null && skipsMissed && isTooLate(dueAt, now);
    }

    static boolean isTooLate(Instant dueAt, Instant now) {
        return Duration.between(dueAt, now).compareTo(TOO_LATE) > 0;
    }

    /** The handlers of this node, by name. Any thread. */
    public static final class Handlers {

        private final Map<String, Handler<?>> byName = new ConcurrentSkipListMap<>();
        private final DurableObserver observer;

        /** Creates an empty set of handlers; each addition notifies the observer. */
        public Handlers(DurableObserver observer) {
            this.observer = observer;
        }

        /**
         * The recurring tasks whose rows have been made, as far as this node knows; no other is claimed, so that the
         * schedule of this node holds before it runs what another one has left. Writer: {@link RecurringKeeper}.
         */
        final Set<Handler<?>> planted = ConcurrentHashMap.newKeySet();

        /**
         * Whether recurring tasks may have been made at run time; until then, nothing looks for their rows. Any
         * thread.
         */
        volatile boolean areMade;

        /**
         * Adds one.
         *
         * @throws IllegalStateException if there is one of that name
         */
        public void add(Handler<?> handler) {
            if (byName.putIfAbsent(handler.name(), handler) != null) {
                throw new IllegalStateException(
                        "A durable handler must have a name of its own, there are two '" + handler.name() + "'");
            }
            try {
                observer.handles(handler.name());
            } catch (Throwable ex) {
                ThrownLog.debug(Context.LOGGER, "The observer of durable tasks has failed; tasks are not affected", ex);
            }
        }

        public @Nullable Handler<?> find(String name) {
            return byName.get(name);
        }

        /** Removes one; false if it is not there. */
        boolean remove(Handler<?> handler) {
            return byName.remove(handler.name(), handler);
        }

        List<Handler<?>> recurring() {
            return byName.values().stream()
                    .filter(handler -> handler.recurrence() != null)
                    .toList();
        }

        List<String> recurringIds() {
            return recurring().stream().map(Handler::id).toList();
        }

        /** Returns the ids of the recurring tasks that this node may claim. */
        List<String> plantedIds() {
            return recurring().stream()
                    .filter(planted::contains)
                    .map(Handler::id)
                    .toList();
        }

        List<String> oneTimeNames() {
            return byName.values().stream()
                    .filter(handler -> handler.recurrence() == null)
                    .map(Handler::name)
                    .toList();
        }

        /** Returns how many runs of each bounded handler may go on at a time. */
        Map<String, Integer> bounds() {
            Map<String, Integer> bounds = new HashMap<>();
            for (Handler<?> handler : byName.values()) {
                if (handler.mostRunning() != Integer.MAX_VALUE) {
                    Integer ignored = bounds.put(handler.name(), handler.mostRunning());
                }
            }
            return bounds;
        }

        /** Whether runs hold a connection each. */
        boolean holdConnections() {
            return byName.values().stream().anyMatch(handler -> handler.transactions() != null);
        }

        Set<String> names() {
            return byName.keySet();
        }

        int size() {
            return byName.size();
        }
    }
}
