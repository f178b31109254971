package io.github.wheelscheduler.benchmarks.profile;

import io.github.wheelscheduler.benchmarks.figure.Figures;
import io.github.wheelscheduler.benchmarks.figure.Trial;
import io.github.wheelscheduler.benchmarks.figure.Values;
import java.nio.file.Path;

/** The main class of a JVM that measures one thing while it is recorded, and prints the number of operations. */
public final class ProfiledChild {

    private ProfiledChild() {}

    /** Expects figure, variant, contender, {@code true} if tiny, and the file for the recording. */
    public static void main(String[] args) {
        int exitCode = 1;
        try {
            FlightWatch watch = new FlightWatch(Path.of(args[4]));
            Trial trial = new Trial(args[0], args[1], args[2], Boolean.parseBoolean(args[3]), 1, watch);
            Values ignored = Figures.named(trial.figure()).measure(trial);
            System.out.println(watch.operations());
            exitCode = 0;
        } catch (Throwable ex) {
            ex.printStackTrace(System.err);
        } finally {
            System.out.flush();
            System.err.flush();
            Runtime.getRuntime().halt(exitCode);
        }
    }
}
