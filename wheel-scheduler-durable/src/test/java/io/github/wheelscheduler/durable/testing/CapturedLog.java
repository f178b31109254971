package io.github.wheelscheduler.durable.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what a logger logs, that of durable tasks unless it is named, until it is closed. Any thread. */
public final class CapturedLog extends Handler implements AutoCloseable {

    private static final ReentrantLock ALONE = new ReentrantLock();

    private final Logger logger;
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    private CapturedLog(Logger logger) {
        this.logger = logger;
    }

    public static CapturedLog begin() {
        return of("io.github.wheelscheduler.durable");
    }

    /** The same for tests of a concurrent class, of which one at a time has it. */
    public static CapturedLog beginAlone() {
        ALONE.lock();
        return begin();
    }

    public static CapturedLog of(String name) {
        CapturedLog log = new CapturedLog(Logger.getLogger(name));
        log.logger.addHandler(log);
        return log;
    }

    /** Returns the texts that contain something. */
    public List<String> with(String part) {
        return records.stream()
                .map(each -> String.valueOf(each.getMessage()))
                .filter(text -> text.contains(part))
                .toList();
    }

    public void clear() {
        records.clear();
    }

    /** Returns the records of a level whose text contains something. */
    public List<LogRecord> of(Level level, String part) {
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
        logger.removeHandler(this);
        if (ALONE.isHeldByCurrentThread()) {
            ALONE.unlock();
        }
    }
}
