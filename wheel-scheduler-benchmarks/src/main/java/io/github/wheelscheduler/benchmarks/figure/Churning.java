package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import io.github.wheelscheduler.benchmarks.measure.Xorshift;
import java.util.function.Function;

/** Cancels random ones of what is pending, and schedules others in their place. One thread. */
final class Churning {

    private static final int BATCH = 512;

    private final Contender contender;
    private final Object[] handles;
    private final Xorshift random;
    private final Function<Xorshift, Object> another;

    /** Writer: the caller, once per measurement. Reader: the thread that waited for the caller. */
    private long pairs;

    /** @param another schedules another one and returns its handle */
    Churning(Contender contender, Object[] handles, Xorshift random, Function<Xorshift, Object> another) {
        this.contender = contender;
        this.handles = handles;
        this.random = random;
        this.another = another;
    }

    void run(long forNanos) {
        long endNanos = System.nanoTime() + forNanos;
        long batches = 0;
        do {
            replaceSome();
            batches++;
        } while (System.nanoTime() - endNanos < 0);
        pairs = batches * BATCH;
    }

    private void replaceSome() {
        for (int i = 0; i < BATCH; i++) {
            int victim = random.below(handles.length);
            contender.cancel(handles[victim]);
            handles[victim] = another.apply(random);
        }
    }

    /** Returns how many have been replaced in the last run. */
    long pairs() {
        return pairs;
    }
}
