package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.report.PlainTable;
import io.github.wheelscheduler.benchmarks.report.Result;
import io.github.wheelscheduler.benchmarks.report.ResultFile;
import io.github.wheelscheduler.benchmarks.report.Summary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Starts one JVM after the other, and adds what they say to the file of results. */
final class Compare {

    private final Options options;
    private final Jdk jdk;
    private final ResultFile file;

    Compare(Options options) {
        this.options = options;
        Path home = options.javaHome();
        this.jdk = home == null ? Jdk.current() : Jdk.at(home);
        this.file = new ResultFile(options.results());
    }

    /** Measures what is not in the file yet, and returns whether all went well. */
    boolean run(List<String> args) {
        Set<String> done = new HashSet<>();
        file.read().stream()
                .filter(result -> result.text("failure").isEmpty())
                .forEach(result -> done.add(keyOf(result)));
        List<Plan.Item> planned = Plan.of(options, jdk.feature()).items();
        List<Plan.Item> items =
                planned.stream().filter(item -> !done.contains(keyOf(item))).toList();
        if (items.isEmpty()) {
            System.out.println("Nothing to measure: all of it is in " + file + " already, or no figure has it.");
            return !planned.isEmpty();
        }
        Duration total = Duration.ofSeconds((long) new Plan(items).seconds());
        System.out.printf(
                Locale.ROOT,
                "%d JVMs on JDK %s, about %d min %d s; %d are in %s already%n",
                items.size(),
                jdk.version(),
                total.toMinutes(),
                total.toSecondsPart(),
                planned.size() - items.size(),
                file);
        file.append(Machine.describe(jdk, args));
        boolean allWell = true;
        ChildJvm child = new ChildJvm(jdk.home());
        for (int i = 0; i < items.size(); i++) {
            Plan.Item item = items.get(i);
            long startNanos = System.nanoTime();
            Result result = child.run(item, false);
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            file.append(result);
            allWell &= result.text("failure").isEmpty();
            System.out.printf(
                    Locale.ROOT,
                    "%4d/%d %s %-12s %-14s %5.1f s  %s%n",
                    i + 1,
                    items.size(),
                    item.figure().name(),
                    item.variant(),
                    item.contender(),
                    seconds,
                    result.text("failure").isEmpty() ? result.numbers() : "FAILED: " + result.text("failure"));
        }
        System.out.print(PlainTable.of(new Summary(file.read())));
        return allWell;
    }

    private static String keyOf(Result result) {
        return String.join(
                " ",
                result.text("java"),
                result.text("figure"),
                result.text("variant"),
                result.text("contender"),
                result.text("jvm"));
    }

    private static String keyOf(Plan.Item item) {
        return item.java() + " " + item.figure().name() + " " + item.variant() + " " + item.contender() + " "
                + item.jvm();
    }
}
