package io.github.wheelscheduler.history.internal;

import java.util.function.LongSupplier;

/** The parts of a history that durable tasks need. */
public abstract class HistoryParts {

    final HistoryStore parts;
    final RunBuffer waiting;
    final LongSupplier nanoTime;

    protected HistoryParts(HistoryStore store, RunBuffer buffer, LongSupplier nanoTime) {
        this.parts = store;
        this.waiting = buffer;
        this.nanoTime = nanoTime;
    }
}
