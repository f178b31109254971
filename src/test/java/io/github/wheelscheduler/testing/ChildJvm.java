package io.github.wheelscheduler.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A JVM of its own with a small heap, which the test that started it can bring to a halt for a while. */
public final class ChildJvm {

    private static final Path LOGS = Path.of("target", "children");
    private static final int LOOK_MILLIS = 20;
    private static final int LINES_SHOWN = 400;
    private static final int STACKS_MILLIS = 2_000;
    private static final int LONGEST_HALT_MILLIS = 1_200;
    private static final int LONGEST_TIME_BETWEEN_MILLIS = 4_000;

    private final String name;
    private final Path log;
    private final Process process;

    /** Starts it; what it prints goes to a file of that name. */
    public ChildJvm(String name, Class<?> mainClass, List<String> args) throws IOException {
        this(name, mainClass, args, Map.of());
    }

    /** Starts it with variables in its environment. */
    public ChildJvm(String name, Class<?> mainClass, List<String> args, Map<String, String> environment)
            throws IOException {
        this(name, List.of(), mainClass, args, environment);
    }

    /** Starts it with options of the virtual machine. */
    public ChildJvm(String name, List<String> options, Class<?> mainClass, List<String> args) throws IOException {
        this(name, options, mainClass, args, Map.of());
    }

    private ChildJvm(
            String name, List<String> options, Class<?> mainClass, List<String> args, Map<String, String> environment)
            throws IOException {
        this.name = name;
        Files.createDirectories(LOGS);
        this.log = LOGS.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m");
        builder.command().addAll(options);
        builder.command().addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
        builder.command().addAll(args);
        builder.environment().putAll(environment);
        this.process =
                builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    }

    /** Brings it to a halt at random, and lets it go on, for so long or until it has ended. */
    public void haltNowAndThen(Duration time, SplittableRandom random) throws IOException, InterruptedException {
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

    /** Sends it a signal, such as {@code -STOP}; false if there is no way to. True, too, if it has ended. */
    public boolean signal(String signal) throws InterruptedException {
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

    /**
     * Waits for its end, shows and returns its summary, and fails with what it printed unless it found all well. The
     * limit counts from the last line that it has printed, so that one that makes progress has as long as it needs,
     * however slow the machine is.
     */
    public List<String> awaitSuccess(Duration limit) throws IOException, InterruptedException {
        boolean hasEnded = awaitEndOrSilence(limit);
        if (!hasEnded && signal("-QUIT")) {
            // All stacks go to the log.
            boolean ignored = process.waitFor(STACKS_MILLIS, TimeUnit.MILLISECONDS);
        }
        process.destroyForcibly();
        List<String> lines = printed().lines().toList();
        if (!hasEnded) {
            fail("%s must end, or print a line, within %s; the end of %s:%n%s", name, limit, log, end(lines));
        }
        assertThat(process.exitValue())
                .as("%s; the end of %s:%n%s", name, log, end(lines))
                .isZero();
        List<String> summary =
                lines.stream().filter(line -> line.startsWith(">")).toList();
        summary.forEach(line -> System.out.println(name + " " + line));
        return summary;
    }

    /** Waits until it has ended, or has printed nothing for so long; false then. */
    private boolean awaitEndOrSilence(Duration limit) throws IOException, InterruptedException {
        long printed = 0;
        long sinceNanos = System.nanoTime();
        while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            long size = Files.size(log);
            if (size > printed) {
                printed = size;
                sinceNanos = System.nanoTime();
            } else if (System.nanoTime() - sinceNanos > limit.toNanos()) {
                return false;
            }
        }
        return true;
    }

    /** Waits until it has printed a line with that text. */
    public void awaitLine(String text, Duration limit) throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + limit.toNanos();
        String printed = printed();
        while (!printed.contains(text)) {
            List<String> lines = printed.lines().toList();
            if (System.nanoTime() - endNanos > 0 || !process.isAlive()) {
                process.destroyForcibly();
                fail("%s must print '%s' within %s; the end of %s:%n%s", name, text, limit, log, end(lines));
            }
            boolean ignored = process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            printed = printed();
        }
    }

    /** Returns what it has printed so far, which libraries may do in any encoding. */
    private String printed() throws IOException {
        return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    }

    private static String end(List<String> lines) {
        return String.join(
                System.lineSeparator(), lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    }
}
