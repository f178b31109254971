package io.github.wheelscheduler.netty;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what this project logs, and keeps it off the console, until it is closed. */
final class LogCapture extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.github.wheelscheduler");
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    LogCapture() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    /** Returns the texts that begin so. */
    List<String> said(String beginning) {
        return records.stream()
                .map(new SimpleFormatter()::formatMessage)
                .filter(text -> text.startsWith(beginning))
                .toList();
    }

    /** Returns everything, stacks included. */
    String all() {
        StringWriter text = new StringWriter();
        for (LogRecord logged : records) {
            text.append(new SimpleFormatter().formatMessage(logged)).append('\n');
            if (logged.getThrown() != null) {
                logged.getThrown().printStackTrace(new PrintWriter(text));
            }
        }
        return text.toString();
    }

    @Override
    public void publish(LogRecord logged) {
        records.add(logged);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(this);
    }
}
