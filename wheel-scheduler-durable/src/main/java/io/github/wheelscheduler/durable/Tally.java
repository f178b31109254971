package io.github.wheelscheduler.durable;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what becomes of rows on this node. Any thread. */
final class Tally {

    final AtomicInteger waiting = new AtomicInteger();
    final AtomicInteger running = new AtomicInteger();
    final AtomicLong claimed = new AtomicLong();
    final AtomicLong succeeded = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    final AtomicLong givenUp = new AtomicLong();
    final AtomicLong takenOver = new AtomicLong();
    final AtomicLong lost = new AtomicLong();
    final AtomicLong unreadable = new AtomicLong();

    DurableCounts read() {
        return new DurableCounts(
                waiting.get(),
                running.get(),
                claimed.get(),
                succeeded.get(),
                failed.get(),
                givenUp.get(),
                takenOver.get(),
                lost.get(),
                unreadable.get());
    }
}
