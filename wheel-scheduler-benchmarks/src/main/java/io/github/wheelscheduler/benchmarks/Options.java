package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.figure.Figures;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a sub-command.
 *
 * @param figures names of figures; all if empty
 * @param variants names of variants; all if empty
 * @param contenders names of contenders; all if empty
 * @param callers how many threads call, for figures in which that is a variant; the usual numbers if empty
 * @param jvms how many JVMs measure each; 0 for the default of the JDK
 * @param javaHome where the JDK is that measures; null for the one that runs this
 * @param results the file of results
 * @param docs the directory of the report
 */
record Options(
        List<String> figures,
        List<String> variants,
        List<String> contenders,
        List<Integer> callers,
        int jvms,
        @Nullable Path javaHome,
        Path results,
        Path docs) {

    private static final Path DEFAULT_RESULTS = Path.of("target", "benchmarks", "results.jsonl");
    private static final Path DEFAULT_DOCS = Path.of("wheel-scheduler-benchmarks");

    /**
     * Reads arguments such as {@code --figures A,J --jvms 3}.
     *
     * @throws IllegalArgumentException if one is unknown, has no value, or has one that cannot be
     */
    static Options parse(List<String> args) {
        Options options =
                new Options(List.of(), List.of(), List.of(), List.of(), 0, null, DEFAULT_RESULTS, DEFAULT_DOCS);
        for (int i = 0; i < args.size(); i += 2) {
            if (i + 1 == args.size()) {
                throw new IllegalArgumentException("an option must have a value, was " + args.get(i));
            }
            options = options.with(args.get(i), args.get(i + 1));
        }
        return options;
    }

    private Options with(String option, String value) {
        return switch (option) {
            case "--figures" ->
                new Options(knownFigures(value), variants, contenders, callers, jvms, javaHome, results, docs);
            case "--variants" -> new Options(figures, list(value), contenders, callers, jvms, javaHome, results, docs);
            case "--contenders" -> new Options(figures, variants, list(value), callers, jvms, javaHome, results, docs);
            case "--callers" ->
                new Options(figures, variants, contenders, positives(option, value), jvms, javaHome, results, docs);
            case "--jvms" ->
                new Options(figures, variants, contenders, callers, positive(option, value), javaHome, results, docs);
            case "--java" -> new Options(figures, variants, contenders, callers, jvms, Path.of(value), results, docs);
            case "--results" ->
                new Options(figures, variants, contenders, callers, jvms, javaHome, Path.of(value), docs);
            case "--docs" ->
                new Options(figures, variants, contenders, callers, jvms, javaHome, results, Path.of(value));
            default ->
                throw new IllegalArgumentException(
                        "option must be one of --figures, --variants, --contenders, --callers,"
                                + " --jvms, --java, --results, --docs, was " + option);
        };
    }

    private static List<String> list(String value) {
        return List.of(value.split(",", -1));
    }

    private static List<String> knownFigures(String value) {
        return list(value).stream().map(name -> Figures.named(name).name()).toList();
    }

    private static List<Integer> positives(String option, String value) {
        return list(value).stream().map(number -> positive(option, number)).toList();
    }

    private static int positive(String option, String value) {
        try {
            int number = Integer.parseInt(value);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException ex) {
            // the same error
        }
        throw new IllegalArgumentException(option + " must be a positive number, was " + value);
    }

    boolean wantsFigure(String name) {
        return figures.isEmpty() || figures.contains(name);
    }

    boolean wantsVariant(String name) {
        return variants.isEmpty() || variants.contains(name);
    }

    boolean wantsContender(String name) {
        return contenders.isEmpty() || contenders.contains(name);
    }
}
