package io.github.wheelscheduler.benchmarks.profile;

import io.github.wheelscheduler.benchmarks.figure.Watch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;

/** Records the part that counts with the JDK's flight recorder. */
public final class FlightWatch implements Watch {

    private static final Duration SAMPLE_PERIOD = Duration.ofMillis(10);

    private final Path file;
    private final Recording recording = new Recording();

    /** Operations of the recorded part. */
    private long operations;

    public FlightWatch(Path file) {
        this.file = file;
        recording.enable("jdk.ExecutionSample").withPeriod(SAMPLE_PERIOD);
        // By processor time, on JDKs and systems that have it; elsewhere this has no effect.
        recording.enable("jdk.CPUTimeSample").with("throttle", "2ms");
        recording.enable("jdk.ObjectAllocationSample").with("throttle", "2000/s");
        recording.enable("jdk.GCCPUTime");
    }

    @Override
    public void begin() {
        recording.start();
    }

    @Override
    public void end(long operationsDone) {
        recording.stop();
        operations = operationsDone;
        try {
            recording.dump(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        recording.close();
    }

    public long operations() {
        return operations;
    }
}
