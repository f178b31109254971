package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.run.GatheredLine;
import io.github.wheelscheduler.spring.run.LogTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the log of tasks that are paused because of their failures: the first few of a minute each in a line, the others in one, as
 * what they need in common may fail all of them at once. Any thread.
 */
final class PausedTasksLog {

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_WHOLE = 3;
    private static final int MOST_NAMED = 3;
    private static final String UNTIL = "goes on when it is resumed, or triggered with success";

    private final Consumer<String> log;
    private final LogTime time;
    private final GatheredLine line;

    /** In the minute that has begun then; guarded by this, as all that follows. */
    private int whole;

    private long begunNanos;

    /** The others, since the last line of theirs. */
    private long others;

    private final List<String> named = new ArrayList<>(MOST_NAMED);

    PausedTasksLog(Consumer<String> log, LogTime time) {
        this.log = log;
        this.time = time;
        this.line = new GatheredLine(this::take, log, time);
    }

    void add(String id, long failures) {
        if (isOneOfTheFirst(id)) {
            log.accept("Task " + id + " has been paused, as " + failures + " runs in a row have failed; it " + UNTIL);
        } else {
            line.expect();
        }
    }

    /** Returns whether it is said by itself; it is gathered otherwise. */
    private synchronized boolean isOneOfTheFirst(String id) {
        long nowNanos = time.nanos();
        if (whole > 0 && nowNanos - begunNanos >= INTERVAL_NANOS) {
            whole = 0;
        }
        if (whole == 0) {
            begunNanos = nowNanos;
        }
        if (whole < MOST_WHOLE) {
            whole++;
            return true;
        }
        others++;
        if (named.size() < MOST_NAMED) {
            named.add(id);
        }
        return false;
    }

    /** Says what there is to say, now. */
    void say() {
        line.say();
    }

    private synchronized @Nullable String take() {
        if (others == 0) {
            return null;
        }
        String text = "Tasks have been paused " + others + (others == 1 ? " time" : " times")
                + " more, as runs in a row have failed; each " + UNTIL + ": " + String.join("; ", named)
                + (others > named.size() ? "; and others" : "");
        others = 0;
        named.clear();
        return text;
    }
}
