package io.github.wheelscheduler.sample;

import io.github.wheelscheduler.sample.cluster.ClusterDemo;
import io.github.wheelscheduler.sample.connections.ConnectionsDemo;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.convert.DurationStyle;

/**
 * The options of demonstrations. An unknown option or value fails with an {@link IllegalArgumentException} that names
 * the rule and the value.
 */
final class DemoOptions {

    private static final String DEMO = "demo";
    private static final Duration BEAT = Duration.ofSeconds(2);
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(5);

    private DemoOptions() {}

    /** Returns whether a demonstration is asked for. */
    static boolean ask(ApplicationArguments arguments) {
        return arguments.containsOption(DEMO);
    }

    /** Returns the demonstration that is asked for. */
    static Demo demoOf(ApplicationArguments arguments) {
        String name = last(arguments, DEMO, "");
        return switch (name) {
            case "connections" -> connections(arguments);
            case "cluster" -> cluster(arguments);
            default -> throw new IllegalArgumentException("--demo must be connections or cluster, was '" + name + "'");
        };
    }

    private static Demo connections(ApplicationArguments arguments) {
        allowOnly(arguments, List.of(DEMO, "connections", "time"));
        return new ConnectionsDemo(
                number(arguments, "connections", "100000", 8), time(arguments, "30s"), BEAT, IDLE_LIMIT);
    }

    private static Demo cluster(ApplicationArguments arguments) {
        allowOnly(arguments, List.of(DEMO, "nodes", "tasks", "time"));
        return new ClusterDemo(
                number(arguments, "nodes", "3", 1), number(arguments, "tasks", "3000", 5), time(arguments, "12s"));
    }

    private static void allowOnly(ApplicationArguments arguments, List<String> options) {
        for (String option : arguments.getOptionNames()) {
            if (!options.contains(option)) {
                throw new IllegalArgumentException("option must be one of " + options + ", was --" + option);
            }
        }
    }

    private static int number(ApplicationArguments arguments, String option, String otherwise, int digits) {
        String number = last(arguments, option, otherwise);
        if (!number.matches("[0-9]{1," + digits + "}")) {
            throw new IllegalArgumentException(
                    "--" + option + " must be a number up to " + "9".repeat(digits) + ", was '" + number + "'");
        }
        return Integer.parseInt(number);
    }

    private static Duration time(ApplicationArguments arguments, String otherwise) {
        String time = last(arguments, "time", otherwise);
        if (!time.matches("[0-9]{1,5}s")) {
            throw new IllegalArgumentException(
                    "--time must be in seconds, such as " + otherwise + ", was '" + time + "'");
        }
        return DurationStyle.detectAndParse(time);
    }

    private static String last(ApplicationArguments arguments, String option, String otherwise) {
        List<String> values = arguments.getOptionValues(option);
        return values == null || values.isEmpty() ? otherwise : values.get(values.size() - 1);
    }
}
