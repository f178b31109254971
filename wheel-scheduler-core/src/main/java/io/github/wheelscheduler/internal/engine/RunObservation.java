package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.RunObserver;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.internal.EngineLog;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Reports the delays of runs to the observer, if there is one. Without one, a run costs one more read. */
public final class RunObservation {

    private final TimeSource clock;
    private final AtomicBoolean failing = new AtomicBoolean();
    private volatile @Nullable RunObserver observer;

    RunObservation(TimeSource clock) {
        this.clock = clock;
    }

    public void setObserver(@Nullable RunObserver observer) {
        this.observer = observer;
        failing.set(false);
    }

    /** Tells that the timer is about to run; returns the time now, or 0 without an observer. Worker. */
    long starting(ScheduledTimer<?> timer, long expiredNanos) {
        RunObserver current = observer;
        if (current == null) {
            return 0;
        }
        long nowNanos = clock.nanoTime();
        if (timer.state() == TimerWord.READY) {
            tell(current, timer, expiredNanos, nowNanos);
        }
        return nowNanos == 0 ? 1 : nowNanos;
    }

    private void tell(RunObserver current, ScheduledTimer<?> timer, long expiredNanos, long nowNanos) {
        try {
            long lateFromNanos = timer.lateFromNanos();
            long beforeNanos = Math.max(0, expiredNanos - lateFromNanos);
            long queueNanos = Math.max(0, nowNanos - (beforeNanos > 0 ? expiredNanos : lateFromNanos));
            if (timer.wasArmedLate()) {
                current.startingLate(taskOf(timer), beforeNanos, queueNanos, nowNanos);
            } else {
                current.starting(taskOf(timer), beforeNanos, queueNanos, nowNanos);
            }
        } catch (Throwable ex) {
            if (failing.compareAndSet(false, true)) {
                EngineLog.log(
                        Level.WARNING,
                        "The RunObserver failed; runs continue, and its further failures are not logged. Fix the "
                                + "observer",
                        null,
                        ex);
            }
        }
    }

    /** Returns the task of a timer; the timer itself once it has released its task. */
    public static Object taskOf(ScheduledTimer<?> timer) {
        Object task = timer.taskIfAny();
        return task == null ? timer : AdoptedTask.behind(task);
    }
}
