package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.engine.RunObservation;
import io.github.wheelscheduler.internal.engine.ScheduledTimer;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The futures that were returned for the tasks that are pending, as the queue of a pool. It holds nothing, and its size
 * is a count. To look at the elements is a walk over all pending timers on the tick thread. A due task is on its way to
 * a worker: it is an element until it starts, and cannot be removed. Any thread.
 */
public final class PendingFutures extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {

    private final WheelScheduledExecutor executor;
    private final Supplier<RuntimeException> refusal;

    /**
     * Makes the queue of an executor.
     *
     * @param refusal creates the exception for a thread that adds a task
     */
    public PendingFutures(WheelScheduledExecutor executor, Supplier<RuntimeException> refusal) {
        this.executor = executor;
        this.refusal = refusal;
    }

    /** Returns the future that was returned when the task of a timer was scheduled. */
    public static Runnable returnedFor(Runnable timer) {
        Object task = timer instanceof ScheduledTimer<?> ours ? RunObservation.taskOf(ours) : timer;
        Object behind = SeriesRun.isTriggered(task) ? timer : SeriesRun.behind(task);
        return behind instanceof GuardedTask guarded ? guarded.owner : timer;
    }

    private static @Nullable WheelTimer<?> timerOf(@Nullable Object future) {
        if (future instanceof TaskSeries series) {
            return WrappedTimer.onWheel(series.timer);
        }
        return future instanceof WheelTimer<?> timer ? timer : null;
    }

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, executor.pendingCount());
    }

    @Override
    public int remainingCapacity() {
        return (int) Math.min(Integer.MAX_VALUE, executor.remainingPending());
    }

    @Override
    public boolean contains(@Nullable Object future) {
        WheelTimer<?> timer = timerOf(future);
        return timer != null && !timer.isDone() && super.contains(future);
    }

    /**
     * Takes a task out that is not due yet, so that it never runs. A task with an id loses that; its future stays open.
     */
    @Override
    public boolean remove(@Nullable Object future) {
        WheelTimer<?> timer = timerOf(future);
        if (timer == null || !executor.remove(timer)) {
            return false;
        }
        if (future instanceof TaskSeries series) {
            series.guard().book.remove(series);
        }
        return true;
    }

    @Override
    public void clear() {
        forEach(this::remove);
    }

    @Override
    public Iterator<Runnable> iterator() {
        List<WheelTimer<?>> timers = executor.somePending(Integer.MAX_VALUE);
        return new Iterator<>() {
            private int next;
            private @Nullable Runnable last;

            @Override
            public boolean hasNext() {
                return next < timers.size();
            }

            @Override
            public Runnable next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("There are no more elements");
                }
                Runnable future = returnedFor(timers.get(next));
                next++;
                last = future;
                return future;
            }

            @Override
            public void remove() {
                if (last == null) {
                    throw new IllegalStateException("next must be called before remove, once for each");
                }
                boolean ignored = PendingFutures.this.remove(last);
                last = null;
            }
        };
    }

    /** Without a size, as that may have changed when the elements are looked at. */
    @Override
    public Spliterator<Runnable> spliterator() {
        return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.NONNULL);
    }

    /** Returns the element that is due first; null if there is none. */
    @Override
    public @Nullable Runnable peek() {
        WheelTimer<?> first = null;
        for (WheelTimer<?> timer : executor.somePending(Integer.MAX_VALUE)) {
            if (first == null || executor.deadlineNanos(timer) - executor.deadlineNanos(first) < 0) {
                first = timer;
            }
        }
        return first == null ? null : returnedFor(first);
    }

    // Due tasks belong to the workers

    /** Returns null: a pool's queue would give a due task away, and that is on its way to a worker. */
    @Override
    public @Nullable Runnable poll() {
        return null;
    }

    @Override
    public int drainTo(Collection<? super Runnable> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    /** Moves nothing, for the same reason. */
    @Override
    public int drainTo(Collection<? super Runnable> target, int most) {
        Objects.requireNonNull(target, "target must not be null");
        if (target == this) {
            throw new IllegalArgumentException("target must be another collection than the queue itself");
        }
        return 0;
    }

    @Override
    public Runnable take() {
        throw notTaken();
    }

    @Override
    public @Nullable Runnable poll(long timeout, TimeUnit unit) {
        throw notTaken();
    }

    private static UnsupportedOperationException notTaken() {
        return new UnsupportedOperationException(
                "Due tasks must be left to the scheduler's workers; none can be taken");
    }

    @Override
    public boolean offer(Runnable task) {
        Objects.requireNonNull(task, "task must not be null");
        throw refusal.get();
    }

    @Override
    public boolean offer(Runnable task, long timeout, TimeUnit unit) {
        return offer(task);
    }

    @Override
    public void put(Runnable task) {
        boolean ignored = offer(task);
    }
}
