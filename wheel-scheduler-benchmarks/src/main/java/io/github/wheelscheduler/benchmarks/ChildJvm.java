package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.report.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Starts a JVM for one trial, and brings its line home. */
final class ChildJvm {

    /**
     * The heap never gets smaller than it is when a JVM starts on this machine. Otherwise an explicit collection gives
     * almost all of it back where little is alive, and measures the growing of the heap afterwards.
     */
    private static final String KEEP_INITIAL_HEAP = "-Xms" + Machine.memoryBytes() / 64 / 1024 + "k";

    private static final int LINES_OF_FAILURE = 12;

    private final Path javaHome;

    ChildJvm(Path javaHome) {
        this.javaHome = javaHome;
    }

    /** The answer of a JVM: a result, or a text with {@code failure} in it. */
    Result run(Plan.Item item, boolean isTiny) {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.add(KEEP_INITIAL_HEAP);
        command.addAll(item.figure().jvmOptions(item.variant()));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                item.figure().name(),
                item.variant(),
                item.contender(),
                isTiny ? Child.TINY : Child.FULL,
                String.valueOf(item.jvm())));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            long limitSeconds = 180 + 3 * (long) item.seconds();
            CompletableFuture<Void> watch = CompletableFuture.runAsync(
                    process::destroyForcibly, CompletableFuture.delayedExecutor(limitSeconds, TimeUnit.SECONDS));
            List<String> lines = readLines(process);
            int exitCode = process.waitFor();
            boolean wasInTime = watch.cancel(false);
            for (String line : lines) {
                if (exitCode == 0 && line.startsWith("{")) {
                    return Result.parse(line);
                }
            }
            return failure(
                    item, wasInTime ? causeIn(lines, exitCode) : "took longer than " + limitSeconds + " s", lines);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }

    private static List<String> readLines(Process process) throws IOException {
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            String line = reader.readLine();
            while (line != null) {
                lines.add(line);
                line = reader.readLine();
            }
        }
        return lines;
    }

    private static String causeIn(List<String> lines, int exitCode) {
        return lines.stream()
                .filter(line -> line.contains("Exception") || line.contains("Error"))
                .reduce((first, second) -> second.startsWith("Caused by") ? second : first)
                .orElse("exit code " + exitCode);
    }

    private static Result failure(Plan.Item item, String cause, List<String> lines) {
        lines.stream().limit(LINES_OF_FAILURE).forEach(line -> System.err.println("    " + line));
        Result result = Result.empty();
        result.texts().put("figure", item.figure().name());
        result.texts().put("variant", item.variant());
        result.texts().put("contender", item.contender());
        result.texts().put("java", String.valueOf(item.java()));
        result.texts().put("jvm", String.valueOf(item.jvm()));
        result.texts().put("failure", cause);
        return result;
    }
}
