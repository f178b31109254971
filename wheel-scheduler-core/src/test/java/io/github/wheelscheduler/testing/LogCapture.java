package io.github.wheelscheduler.testing;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Collects what is logged below a name, off the console, until it is closed or the test that registers it ends. */
public final class LogCapture extends Handler implements AutoCloseable, AfterEachCallback {

    private static final List<String> OF_SLOWNESS = List.of(
            "The tick thread overslept",
            " not caught up; ",
            "The workers cannot keep up",
            ", longer than the time to its next run;");

    private final Logger logger;
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    private LogCapture(String name) {
        this.logger = Logger.getLogger(name);
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    /** Captures what is logged below that name; below an empty one, everything. */
    public static LogCapture of(String name) {
        return new LogCapture(name);
    }

    /** Captures the log of the class. */
    public static LogCapture of(Class<?> type) {
        return new LogCapture(type.getName());
    }

    /** Captures the log of the class's package. */
    public static LogCapture ofPackage(Class<?> type) {
        return new LogCapture(type.getPackageName());
    }

    /**
     * Returns the texts logged so far, but those by which a scheduler says that the machine is slow: a test that is not
     * about them may see one at any time.
     */
    public List<String> messages() {
        return all().filter(text -> OF_SLOWNESS.stream().noneMatch(text::contains))
                .toList();
    }

    /** Returns the texts with that part logged so far, no matter what they say of the machine. */
    public List<String> said(String part) {
        return all().filter(text -> text.contains(part)).toList();
    }

    /** Returns the names of the loggers that have logged so far. */
    public Set<String> categories() {
        return records.stream().map(LogRecord::getLoggerName).collect(Collectors.toSet());
    }

    private Stream<String> all() {
        return records.stream().map(new SimpleFormatter()::formatMessage);
    }

    /** Whether this very exception was logged as an error. */
    @SuppressWarnings("ReferenceEquality")
    public boolean hasError(Throwable failure) {
        return records.stream().anyMatch(logged -> logged.getLevel() == Level.SEVERE && logged.getThrown() == failure);
    }

    @Override
    public void publish(LogRecord logged) {
        records.add(logged);
    }

    @Override
    public void flush() {}

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        logger.setUseParentHandlers(true);
        logger.removeHandler(this);
    }
}
