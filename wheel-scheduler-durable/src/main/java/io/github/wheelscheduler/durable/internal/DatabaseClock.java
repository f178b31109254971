package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The database's clock as seen from here: it is asked now and then, and in between the monotonic clock goes on from
 * there. The clock of this machine has no say. Any thread.
 */
public final class DatabaseClock {

    private static final int QUESTIONS = 3;

    /** An older answer is worth less, as clocks drift apart. */
    private static final long MOST_DRIFT = 20_000;

    /** Times before all others are in the range of databases. */
    private static final Duration LONG = Duration.ofDays(365_000);

    private final LongSupplier nanoClock;
    private final @Nullable Supplier<Instant> virtual;

    private volatile Answer answer = new Answer(Instant.EPOCH, 0, Long.MAX_VALUE / 4);

    /** @param errorNanos by how much it may be wrong */
    private record Answer(Instant time, long atNanos, long errorNanos) {

        long errorNanos(long nowNanos) {
            return errorNanos + (nowNanos - atNanos) / MOST_DRIFT;
        }
    }

    public DatabaseClock(LongSupplier nanoClock) {
        this(nanoClock, null);
    }

    private DatabaseClock(LongSupplier nanoClock, @Nullable Supplier<Instant> virtual) {
        this.nanoClock = nanoClock;
        this.virtual = virtual;
    }

    /**
     * Returns the clock of a node on an executor. In virtual time, the executor's wall clock replaces that of the
     * database, also in statements.
     */
    static DatabaseClock of(WheelScheduledExecutor executor) {
        return new DatabaseClock(
                executor::nanoTime, executor.timeSource().isVirtual() ? executor::wallClockInstant : null);
    }

    /** Whether time stands still until a test moves it; nothing is left to chance then. */
    boolean isVirtual() {
        return virtual != null;
    }

    /**
     * Returns after how long a node that has said nothing is no evidence of what nodes have. In virtual time each node
     * is evidence until it is found dead, as time jumps over heartbeats.
     */
    Duration silence(Duration deadAfter) {
        return isVirtual() ? LONG : deadAfter;
    }

    /** Returns the expression that is the time in a statement that is sent now. */
    String expression(Dialect dialect) {
        return virtual == null ? dialect.now() : dialect.literal(virtual.get());
    }

    /** Asks the database a few times, and believes the quickest answer. */
    void ask(Supplier<Instant> database) {
        if (virtual != null) {
            return;
        }
        for (int i = 0; i < QUESTIONS; i++) {
            long beforeNanos = nanoClock.getAsLong();
            Instant time = database.get();
            long afterNanos = nanoClock.getAsLong();
            long errorNanos = (afterNanos - beforeNanos) / 2;
            Answer next = new Answer(time, beforeNanos + errorNanos, errorNanos);
            if (errorNanos <= answer.errorNanos(afterNanos) || contradicts(next, answer)) {
                answer = next;
            }
        }
    }

    /** Whether both cannot be right: the database has another clock by now, or the monotonic one has stood still. */
    private static boolean contradicts(Answer next, Answer last) {
        long sinceNanos = next.atNanos() - last.atNanos();
        Duration difference =
                Duration.between(last.time().plusNanos(sinceNanos), next.time()).abs();
        return difference.compareTo(Duration.ofNanos(next.errorNanos() + last.errorNanos(next.atNanos()))
                        .plusMillis(1))
                > 0;
    }

    /** Whether it has been asked. */
    boolean isKnown() {
        return virtual != null || !answer.time().equals(Instant.EPOCH);
    }

    /** Returns the time of the monotonic clock. */
    long nanoTime() {
        return nanoClock.getAsLong();
    }

    Instant now() {
        if (virtual != null) {
            return virtual.get();
        }
        Answer last = answer;
        return last.time().plusNanos(nanoClock.getAsLong() - last.atNanos());
    }

    /** Returns by how much it may be wrong. */
    public Duration error() {
        return virtual != null ? Duration.ZERO : Duration.ofNanos(answer.errorNanos(nanoClock.getAsLong()));
    }
}
