package io.github.wheelscheduler.durable.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The database's clock as seen from here: it is asked now and then, and in between the monotonic clock goes on from there. The clock of this
 * machine has no say. Any thread.
 */
public final class DatabaseClock {

    private static final int QUESTIONS = 3;

    /** An older answer is worth less, as clocks drift apart. */
    private static final long MOST_DRIFT = 20_000;

    private final LongSupplier nanoClock;

    private volatile Answer answer = new Answer(Instant.EPOCH, 0, Long.MAX_VALUE / 4);

    /** @param errorNanos by how much it may be wrong */
    private record Answer(Instant time, long atNanos, long errorNanos) {

        long errorNanos(long nowNanos) {
            return errorNanos + (nowNanos - atNanos) / MOST_DRIFT;
        }
    }

    public DatabaseClock(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Asks the database a few times, and believes the quickest answer. */
    void ask(Supplier<Instant> database) {
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

    /** Returns the time of the monotonic clock. */
    long nanoTime() {
        return nanoClock.getAsLong();
    }

    Instant now() {
        Answer last = answer;
        return last.time().plusNanos(nanoClock.getAsLong() - last.atNanos());
    }

    /** Returns by how much it may be wrong. */
    public Duration error() {
        return Duration.ofNanos(answer.errorNanos(nanoClock.getAsLong()));
    }
}
