package io.github.wheelscheduler.sample;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The logs of all tasks, in the order in which they appear in the table. */
final class TaskBoard {

    private final List<TaskLog> logs = new CopyOnWriteArrayList<>();
    private final InstantSource clock;

    TaskBoard(InstantSource clock) {
        this.clock = clock;
    }

    TaskLog add(String name, Timetable timetable, Duration takes) {
        TaskLog log = new TaskLog(name, timetable, takes, clock);
        logs.add(log);
        return log;
    }

    List<TaskLog.Line> lines() {
        return logs.stream().map(TaskLog::line).toList();
    }
}
