package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.DurationWords;
import io.github.wheelscheduler.spring.task.TaskSchedule;

/** Schedules as the log says them: their text is also read by programs, and given back by people. */
public final class ScheduleText {

    private ScheduleText() {}

    /** Returns the text of a schedule, with a period or delay in words. */
    public static String of(TaskSchedule schedule) {
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            return DurationWords.exactly(rate.period());
        }
        return schedule instanceof TaskSchedule.FixedDelay fixed
                ? DurationWords.exactly(fixed.delay())
                : schedule.text();
    }
}
