package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import io.github.wheelscheduler.benchmarks.figure.Metric;
import io.github.wheelscheduler.benchmarks.report.Result;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Shows that every benchmark still works, on tiny sizes. It is never too slow. */
final class Quick {

    /** Only a kernel that counts them has them. */
    private static final String OPTIONAL_METRIC = "switches";

    /** JMH uses what later JDKs warn about. */
    private static final int FIRST_JDK_THAT_WARNS = 24;

    private static final int FEWEST_JMH_BENCHMARKS = 17;

    private final ChildJvm child = new ChildJvm(Jdk.current().home());
    private final List<String> broken = new ArrayList<>();

    private Quick() {}

    /** Runs every figure on ours and a peer, and every JMH benchmark once; returns what is broken. */
    static List<String> run() throws RunnerException {
        Quick quick = new Quick();
        for (int i = 0; i < Figures.ALL.size(); i++) {
            quick.check(Figures.ALL.get(i), i);
        }
        quick.checkJmh();
        return quick.broken;
    }

    private void check(Figure figure, int number) {
        String variant = figure.variants().get(0);
        String first = figure.contenders(variant).get(0);
        List<String> peers = figure.contenders(variant).stream()
                .filter(contender -> figure.takesPart(Runtime.version().feature(), contender))
                .filter(contender -> !contender.equals(first))
                .toList();
        check(figure, variant, first);
        check(figure, figure.variants().get(figure.variants().size() - 1), peers.get(number % peers.size()));
    }

    private void check(Figure figure, String variant, String contender) {
        Plan.Item item =
                new Plan.Item(figure, variant, contender, Runtime.version().feature(), 1);
        Result result = child.run(item, true);
        String what = figure.name() + " " + variant + " " + contender;
        String failure = result.text("failure");
        for (Metric metric : figure.metrics(variant)) {
            if (failure.isEmpty()
                    && !result.numbers().containsKey(metric.key())
                    && !metric.key().equals(OPTIONAL_METRIC)) {
                failure = "no " + metric.key();
            }
        }
        System.out.println(what + ": " + (failure.isEmpty() ? "works" : failure));
        if (!failure.isEmpty()) {
            broken.add(what + ": " + failure);
        }
    }

    private void checkJmh() throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("io.github.wheelscheduler")
                .forks(1)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(50))
                .param("pending", "1000")
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        if (Runtime.version().feature() >= FIRST_JDK_THAT_WARNS) {
            options.jvmArgsAppend("--sun-misc-unsafe-memory-access=allow");
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        System.out.println(results.size() + " JMH benchmarks work");
        if (results.size() < FEWEST_JMH_BENCHMARKS) {
            broken.add("JMH ran " + results.size() + " benchmarks, at least " + FEWEST_JMH_BENCHMARKS
                    + " were there once");
        }
    }
}
