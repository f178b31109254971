package io.github.wheelscheduler.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A JVM of its own with a small heap, which the test that started it can bring to a halt for a while. */
final class ChildJvm {

    private static final Path LOGS = Path.of("target", "soak");
    private static final int LINES_SHOWN = 400;
    private static final int LONGEST_HALT_MILLIS = 1_200;
    private static final int LONGEST_TIME_BETWEEN_MILLIS = 4_000;

    private final String name;
    private final Path log;
    private final Process process;

    /** Starts it; what it prints goes to a file of that name. */
    ChildJvm(String name, Class<?> mainClass, List<String> args) throws IOException {
        this.name = name;
        Files.createDirectories(LOGS);
        this.log = LOGS.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                mainClass.getName());
        builder.command().addAll(args);
        this.process =
                builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    }

    /** Brings it to a halt at random, and lets it go on, for so long or until it has ended. */
    void haltNowAndThen(Duration time, SplittableRandom random) throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + time.toNanos();
        int halts = 0;
        while (System.nanoTime() - endNanos < 0
                && !process.waitFor(random.nextInt(1, LONGEST_TIME_BETWEEN_MILLIS), TimeUnit.MILLISECONDS)) {
            if (!signal("-STOP")) {
                System.out.println(name + ": there is no kill here, so the process is never brought to a halt");
                return;
            }
            halts++;
            boolean ignored = process.waitFor(random.nextInt(1, LONGEST_HALT_MILLIS), TimeUnit.MILLISECONDS);
            if (!signal("-CONT")) {
                fail("%s must go on after it was brought to a halt", name);
            }
        }
        System.out.println(name + ": brought to a halt " + halts + " times");
    }

    private boolean signal(String signal) throws InterruptedException {
        try {
            Process kill = new ProcessBuilder("kill", signal, String.valueOf(process.pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return kill.waitFor() == 0 || !process.isAlive();
        } catch (IOException ex) {
            return false;
        }
    }

    /** Waits for its end, shows its summary, and fails with what it printed unless it found all well. */
    void awaitSuccess(Duration limit) throws IOException, InterruptedException {
        boolean hasEnded = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        process.destroyForcibly();
        List<String> lines = Files.readAllLines(log);
        if (!hasEnded) {
            fail("%s must end within %s; the end of %s:%n%s", name, limit, log, end(lines));
        }
        assertThat(process.exitValue())
                .as("%s; the end of %s:%n%s", name, log, end(lines))
                .isZero();
        lines.stream().filter(line -> line.startsWith(">")).forEach(line -> System.out.println(name + " " + line));
    }

    private static String end(List<String> lines) {
        return String.join(
                System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    }
}
