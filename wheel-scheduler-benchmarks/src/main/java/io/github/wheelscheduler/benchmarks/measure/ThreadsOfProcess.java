package io.github.wheelscheduler.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The counts of the kernel for each thread, summed over all threads of this process.
 *
 * @param cpuNanos processor time
 * @param switches context switches, voluntary or not; negative if unknown
 */
public record ThreadsOfProcess(long cpuNanos, long switches) {

    private static final Path TASKS = Path.of("/proc/self/task");

    /** Reads the sums. Without a {@code /proc}, there is only the processor time, and that is coarse. */
    public static ThreadsOfProcess now() {
        if (!Files.isDirectory(TASKS)) {
            return new ThreadsOfProcess(Cpu.processNanos(), -1);
        }
        long cpuNanos = 0;
        long switches = 0;
        for (Path thread : threads()) {
            try {
                String times = Files.readString(thread.resolve("schedstat"));
                cpuNanos += Long.parseLong(times.substring(0, times.indexOf(' ')));
                for (String line : Files.readAllLines(thread.resolve("status"))) {
                    int colon = line.indexOf(':');
                    if (line.substring(0, Math.max(colon, 0)).endsWith("voluntary_ctxt_switches")) {
                        switches += Long.parseLong(line.substring(colon + 1).trim());
                    }
                }
            } catch (NoSuchFileException ex) {
                // the thread has ended, or this kernel does not count times
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
        return new ThreadsOfProcess(cpuNanos > 0 ? cpuNanos : Cpu.processNanos(), switches);
    }

    private static List<Path> threads() {
        try (Stream<Path> threads = Files.list(TASKS)) {
            return threads.toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    public boolean areSwitchesKnown() {
        return switches >= 0;
    }
}
