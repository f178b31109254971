package io.github.wheelscheduler.test;

import io.github.wheelscheduler.TimeSource.Poller;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Lets what polls do so when it has something to do, as durable tasks whose rows are due: time jumps there. One thread.
 */
final class Pollers {

    private final VirtualTimeSource source;
    private final Stillness stillness;

    private long nextNanos;

    /** After so many runs and polls of the present verb. */
    private long askedAt;

    Pollers(VirtualTimeSource source, Stillness stillness) {
        this.source = source;
        this.stillness = stillness;
    }

    /**
     * Returns when the next one polls; {@code Long.MAX_VALUE} for not before something has run. Asks them once for what
     * has happened.
     */
    long nextNanos(RunCap cap) {
        if (askedAt != cap.runs()) {
            askedAt = cap.runs();
            nextNanos = ask();
        }
        return nextNanos;
    }

    private long ask() {
        long next = Long.MAX_VALUE;
        for (Poller poller : source.pollers()) {
            next = Math.min(next, poller.nextNanos());
        }
        return next;
    }

    /** Begins a verb: a test may have changed anything before. */
    void begin() {
        askedAt = -1;
        source.pollers().forEach(Poller::begin);
    }

    /** Returns how long it is until the first is due of what they start. */
    Stream<Duration> untilFirstDue() {
        return source.pollers().stream()
                .map(Poller::dueNanos)
                .filter(dueNanos -> dueNanos != Long.MAX_VALUE)
                .map(dueNanos -> Duration.ofNanos(Math.max(0, dueNanos - source.look())));
    }

    /** Lets them do what they have to do now: all say that they are alive before the first one looks. */
    void poll(RunCap cap) {
        while (!source.pollers().isEmpty() && nextNanos(cap) <= source.look()) {
            source.pollers().forEach(Poller::beat);
            stillness.await();
            boolean hasPolled;
            do {
                hasPolled = false;
                for (Poller poller : source.pollers()) {
                    hasPolled |= poller.poll();
                    stillness.await();
                }
            } while (hasPolled);
            // What has run meanwhile is counted before they are asked, who are asked again after a run.
            cap.countGone(1);
        }
    }
}
