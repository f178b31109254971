package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.timers.TimerSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Timers that come due when a test says so, on its threads; and that are not armed when it says so. */
final class FakeTimers implements TimerSource {

    private final Queue<Timer> armed = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> executed = new ConcurrentLinkedQueue<>();

    /** Thrown by each call that asks for a timer; null for nothing. */
    volatile @Nullable Throwable failure;

    @Override
    public WheelTimer<?> schedule(Runnable task, long delayNanos) {
        failIfTold();
        Timer timer = new Timer(task);
        if (delayNanos == 0) {
            executed.add(task);
        } else {
            armed.add(timer);
        }
        return timer;
    }

    @Override
    public WheelTimer<?> repeat(Runnable task, long delayNanos) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        throw new UnsupportedOperationException();
    }

    private void failIfTold() {
        Throwable told = failure;
        if (told instanceof Error error) {
            throw error;
        }
        if (told != null) {
            throw new RejectedExecutionException(told);
        }
    }

    /** Runs what is armed, one after the other, until the condition holds. */
    void runArmedUntil(BooleanSupplier condition) {
        for (Timer timer : armed) {
            timer.runIfArmed();
            if (condition.getAsBoolean()) {
                return;
            }
        }
    }

    /** Runs all that is armed. */
    void runArmed() {
        runArmedUntil(() -> false);
    }

    /** Runs what was scheduled for now until there is no more. */
    void runExecuted() {
        for (Runnable task = executed.poll(); task != null; task = executed.poll()) {
            task.run();
        }
    }

    /** Returns how many timers are armed. */
    long armed() {
        return armed.stream().filter(timer -> timer.state.get() == Timer.ARMED).count();
    }

    /** As those of the executor: armed, running, over. */
    static final class Timer implements WheelTimer<Object> {

        static final int ARMED = 0;
        private static final int OVER = 1;

        final AtomicInteger state = new AtomicInteger(ARMED);
        private final Runnable task;

        Timer(Runnable task) {
            this.task = task;
        }

        void runIfArmed() {
            if (state.compareAndSet(ARMED, OVER)) {
                task.run();
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return state.compareAndSet(ARMED, OVER);
        }

        @Override
        public boolean reschedule(long delay, TimeUnit unit) {
            return state.get() == ARMED;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public void run() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isCancelled() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isDone() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object get(long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }

        @Override
        public boolean isRepeating() {
            return false;
        }

        @Override
        public int compareTo(Delayed other) {
            throw new UnsupportedOperationException();
        }
    }
}
