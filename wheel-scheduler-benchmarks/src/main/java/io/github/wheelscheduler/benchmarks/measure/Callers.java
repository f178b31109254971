package io.github.wheelscheduler.benchmarks.measure;

import io.github.wheelscheduler.benchmarks.contender.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;

/** Threads that call a contender at the same time, and what that takes. */
public final class Callers {

    private Callers() {}

    /**
     * The cost of all calls together.
     *
     * @param wallNanos from the common start to the last caller's end
     * @param behindNanos from a caller's end until the contender had taken in all that this caller asked for; the
     *     longest
     * @param cpuNanos of the process, until all was taken in
     */
    public record Cost(long wallNanos, long behindNanos, long cpuNanos) {}

    private record Times(long startNanos, long endNanos, long behindNanos) {}

    /**
     * Runs the caller on a number of threads, with their index, and waits until the contender has accepted everything.
     */
    public static Cost run(Contender contender, int threads, IntConsumer caller) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<FutureTask<Times>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int index = i;
            tasks.add(new FutureTask<>(() -> call(contender, index, caller, start)));
        }
        long cpuBefore = Cpu.processNanos();
        tasks.forEach(task -> new Thread(task, "caller").start());
        long startNanos = Long.MAX_VALUE;
        long endNanos = Long.MIN_VALUE;
        long behindNanos = 0;
        for (FutureTask<Times> task : tasks) {
            Times times = get(task);
            startNanos = Math.min(startNanos, times.startNanos);
            endNanos = Math.max(endNanos, times.endNanos);
            behindNanos = Math.max(behindNanos, times.behindNanos);
        }
        return new Cost(endNanos - startNanos, behindNanos, Cpu.processNanos() - cpuBefore);
    }

    private static Times call(Contender contender, int index, IntConsumer caller, CyclicBarrier start)
            throws InterruptedException, BrokenBarrierException {
        start.await();
        long startNanos = System.nanoTime();
        caller.accept(index);
        long endNanos = System.nanoTime();
        return new Times(startNanos, endNanos, contender.absorb());
    }

    private static Times get(FutureTask<Times> task) {
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new IllegalStateException(
                    "a thread that calls the scheduler has failed; the cause has its exception", ex);
        }
    }
}
