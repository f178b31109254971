package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.internal.DurationWords.about;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.NamedTask;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Describes a timer for logs and exceptions: its kind, its due time, and its task. */
final class TimerText {

    private TimerText() {}

    static String of(ScheduledTimer<?> timer) {
        Object task = timer.taskIfAny();
        Object held = timer.task();
        int state = timer.state();
        String what = state == TimerWord.DONE || task == null ? "" : ", task = " + NamedTask.of(task);
        return "WheelTimer@" + Integer.toHexString(System.identityHashCode(timer)) + "[" + kind(timer) + ", "
                + situation(timer, state, held) + what + "]";
    }

    private static String kind(ScheduledTimer<?> timer) {
        if (timer instanceof PeriodicTimer periodic) {
            return (periodic.isFixedRate() ? "every " : "with delay ")
                    + exactly(Duration.ofNanos(periodic.intervalNanos()));
        }
        return timer instanceof InstantTimer instant ? "at " + instant.instant : "once";
    }

    private static String situation(ScheduledTimer<?> timer, int state, @Nullable Object held) {
        return switch (state) {
            case TimerWord.ARMED -> "due in " + about(Duration.ofNanos(timer.getDelay(TimeUnit.NANOSECONDS)));
            case TimerWord.READY -> "due for " + about(Duration.ofNanos(-timer.getDelay(TimeUnit.NANOSECONDS)));
            case TimerWord.RUNNING -> "running";
            case TimerWord.RETURNED -> "not scheduled";
            case TimerWord.DONE ->
                held instanceof ScheduledTimer.Failure failure ? "failed: " + textOf(failure.cause()) : "completed";
            default -> "cancelled";
        };
    }

    /** A failure in there must not become one of the thread that writes a log. */
    private static String textOf(Throwable failure) {
        try {
            return String.valueOf(failure);
        } catch (Throwable ex) {
            return failure.getClass().getName();
        }
    }
}
