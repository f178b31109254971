package io.github.wheelscheduler.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Holds the lock of one file, the same for the JVMs of all modules, while a class of {@link Timed} tests runs. */
final class TimedLock implements BeforeAllCallback {

    private static final Path FILE = Path.of(
            System.getProperty("java.io.tmpdir"), "wheel-scheduler-timed-" + System.getProperty("user.name") + ".lock");

    /**
     * A nested class finds the lock of the class around it; JUnit closes the channel, and so unlocks, after the class.
     */
    @Override
    public void beforeAll(ExtensionContext context) {
        Object unused = context.getStore(Namespace.create(TimedLock.class))
                .computeIfAbsent(FILE, TimedLock::lock, FileChannel.class);
    }

    private static FileChannel lock(Path file) {
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            Object unused = channel.lock();
            return channel;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
