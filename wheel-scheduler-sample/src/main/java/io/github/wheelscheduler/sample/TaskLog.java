package io.github.wheelscheduler.sample;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The record of one task: how often it ran, and how late it was at worst. */
final class TaskLog {

    private final String name;
    private final Timetable timetable;
    private final Duration takes;
    private final InstantSource clock;

    private @Nullable Instant scheduled;
    private @Nullable Instant due;
    private boolean running;
    private int runs;
    private Duration worstDelay = Duration.ZERO;

    /** The names of the threads that it ran on. */
    private final Set<String> threads = new TreeSet<>();

    TaskLog(String name, Timetable timetable, Duration takes, InstantSource clock) {
        this.name = name;
        this.timetable = timetable;
        this.takes = takes;
        this.clock = clock;
    }

    /** A line of the table. */
    record Line(
            String name,
            String timetable,
            Duration takes,
            Duration age,
            int runsDue,
            int runs,
            Duration worstDelay,
            Set<String> threads) {}

    /** Notes that the task is being scheduled now. */
    synchronized void scheduled() {
        scheduled = clock.instant();
        due = timetable.firstDue(scheduled);
    }

    /** Is the run of the task: takes its time, and is noted. */
    void run() {
        started();
        try {
            Thread.sleep(takes.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt(); // the application is closing
        } finally {
            ended();
        }
    }

    private synchronized void started() {
        noteDelay(clock.instant());
        runs++;
        threads.add(Thread.currentThread().getName());
        running = true;
    }

    private synchronized void ended() {
        running = false;
        due = due == null ? null : timetable.nextDue(due, clock.instant());
    }

    /** Returns how it stands; a run that is waiting counts as late as it is by now. */
    synchronized Line line() {
        Instant now = clock.instant();
        if (!running) {
            noteDelay(now);
        }
        Instant since = scheduled == null ? now : scheduled;
        int runsDue = scheduled == null ? 0 : timetable.countDue(scheduled, now, takes);
        return new Line(
                name,
                timetable.text(),
                takes,
                Duration.between(since, now),
                runsDue,
                runs,
                worstDelay,
                Set.copyOf(threads));
    }

    private void noteDelay(Instant now) {
        if (due != null) {
            Duration delay = Duration.between(due, now);
            worstDelay = delay.compareTo(worstDelay) > 0 ? delay : worstDelay;
        }
    }
}
