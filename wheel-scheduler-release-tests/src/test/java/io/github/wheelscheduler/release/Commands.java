package io.github.wheelscheduler.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs programs, each to its end, which must be a good one. */
final class Commands {

    private static final long LIMIT_MINUTES = 30;
    private static final int SHOWN_LINES = 80;

    private Commands() {}

    /** Runs the Maven that runs this test; what it prints is then in the log. */
    static void maven(Path directory, Path log, Map<String, String> environment, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("wheel.release.maven"), "-B", "-ntp"));
        command.addAll(arguments);
        run(directory, log, environment, command);
    }

    static void run(Path directory, Path log, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Files.createDirectories(log.getParent());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES))
                    .as("%s ends within %s minutes", command, LIMIT_MINUTES)
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as("%s, see %s, which ends with%n%s", command, log, endOf(log))
                .isZero();
    }

    static boolean isInstalled(String program) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static String endOf(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size()));
    }
}
