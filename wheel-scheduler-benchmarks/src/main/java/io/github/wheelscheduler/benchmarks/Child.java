package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.figure.Figures;
import io.github.wheelscheduler.benchmarks.figure.Trial;
import io.github.wheelscheduler.benchmarks.figure.Values;
import io.github.wheelscheduler.benchmarks.figure.Watch;
import io.github.wheelscheduler.benchmarks.report.Result;

/** The main class of a JVM that measures one thing once, prints one line, and ends. */
public final class Child {

    static final String FULL = "full";
    static final String TINY = "tiny";

    private Child() {}

    /** Expects figure, variant, contender, {@code full} or {@code tiny}, and the number of the JVM. */
    public static void main(String[] args) {
        int exitCode = 1;
        try {
            Trial trial =
                    new Trial(args[0], args[1], args[2], args[3].equals(TINY), Long.parseLong(args[4]), Watch.NOBODY);
            Values values = Figures.named(trial.figure()).measure(trial);
            Result result = Result.empty();
            result.texts().put("figure", trial.figure());
            result.texts().put("variant", trial.variant());
            result.texts().put("contender", trial.contender());
            result.texts().put("java", String.valueOf(Runtime.version().feature()));
            result.texts().put("jvm", args[4]);
            result.numbers().putAll(values.byKey());
            System.out.println(result.toLine());
            exitCode = 0;
        } catch (Throwable ex) {
            ex.printStackTrace(System.err);
        } finally {
            System.out.flush();
            System.err.flush();
            // Contenders leave threads behind, and memory that is not worth tidying up.
            Runtime.getRuntime().halt(exitCode);
        }
    }
}
