package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.run.GatheredLine;
import io.github.wheelscheduler.spring.run.LogTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the log of tasks that have missed runs, all in one line: after a pause they are many at once. Any thread. */
final class MissedRunsLog {

    private static final int MOST_NAMED = 3;

    private final GatheredLine line;

    /** Guarded by this, as all that follows. */
    private final List<String> named = new ArrayList<>(MOST_NAMED);

    private long times;
    private long runs;

    /** Instants of crons are counted up to a number only. */
    private boolean isAtLeast;

    MissedRunsLog(Consumer<String> log, LogTime time) {
        this.line = new GatheredLine(this::take, log, time);
    }

    void add(String id, TaskSchedule schedule, long missed) {
        gather(id, schedule, missed);
        line.expect();
    }

    private synchronized void gather(String id, TaskSchedule schedule, long missed) {
        if (named.size() < MOST_NAMED) {
            named.add(id + ", its " + schedule.kind() + " is " + schedule.text());
        }
        times++;
        runs += missed;
        isAtLeast |= schedule.isCron() && missed >= TriggerTimes.MOST_COUNTED;
    }

    /** Says what there is to say, now. */
    void say() {
        line.say();
    }

    private synchronized @Nullable String take() {
        if (times == 0) {
            return null;
        }
        String text = text();
        named.clear();
        times = 0;
        runs = 0;
        isAtLeast = false;
        return text;
    }

    private String text() {
        String number = (isAtLeast ? "at least " : "") + runs + (runs == 1 ? " run, which is" : " runs, which are")
                + " not made up; ";
        return times == 1
                ? "Task " + named.get(0).replaceFirst(", its ", " has missed " + number + "its ")
                : "Tasks have fallen behind " + times + " times, and missed " + number + String.join("; ", named)
                        + (times > named.size() ? "; and others" : "");
    }
}
