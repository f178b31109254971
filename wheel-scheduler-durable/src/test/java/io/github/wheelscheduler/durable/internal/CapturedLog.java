package io.github.wheelscheduler.durable.internal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps the log of durable tasks until it is closed. Any thread. */
final class CapturedLog extends Handler implements AutoCloseable {

    private static final Logger LOGGER = Logger.getLogger("io.github.wheelscheduler.durable");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    private CapturedLog() {}

    static CapturedLog begin() {
        CapturedLog log = new CapturedLog();
        LOGGER.addHandler(log);
        return log;
    }

    /** Returns the records of a level whose text contains something. */
    List<LogRecord> of(Level level, String part) {
        return records.stream()
                .filter(each ->
                        each.getLevel().equals(level) && each.getMessage().contains(part))
                .toList();
    }

    @Override
    public void publish(LogRecord logged) {
        boolean ignored = records.add(logged);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
    }
}
