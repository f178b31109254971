package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.application.StartedApplication;
import io.github.wheelscheduler.benchmarks.report.Result;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** Starts the application in JVMs with the class path of users, of which Maven has left a list beside our jar. */
final class ApplicationJvm {

    private static final Pattern BOOT = Pattern.compile("(spring-(core|context|aop|beans|expression)"
            + "|spring-boot(-autoconfigure|-starter(-logging)?)?|logback-\\w+|log4j-[a-z4-]+|jul-to-slf4j|slf4j-api"
            + "|jakarta.annotation-api|commons-logging|micrometer-(commons|observation)|snakeyaml|jspecify)-\\d.*");
    private static final Pattern ACTUATOR = Pattern.compile(
            "(spring-boot-(starter-)?(actuator|micrometer|health)|micrometer-(core|jakarta9)|HdrHistogram|"
                    + "LatencyUtils).*");
    private static final Pattern OURS =
            Pattern.compile("(wheel-scheduler-(spring-boot-starter|spring-boot-autoconfigure|spring|core|timers)|"
                    + "jctools-core(-jdk11)?)-\\d.*");

    private static final int FIRST_WITH_CACHE = 25;

    private final Path target = target();
    private final boolean isAhead;
    private final boolean isCached;
    private final Path prepared;
    private final String classPath;

    /**
     * Makes a class path.
     *
     * @param hasActuator whether it has Boot's starter of the Actuator, with meters
     * @param hasOurs whether it has our starter
     * @param variant which may end in {@code -aot} or {@code -cache}, for what is prepared
     */
    ApplicationJvm(boolean hasActuator, boolean hasOurs, String variant) {
        this.isAhead = variant.endsWith("-aot");
        this.isCached = variant.endsWith("-cache");
        List<String> path = new ArrayList<>();
        // No directory: a cache needs jars.
        path.add(target.resolve("wheel-scheduler-benchmarks-application.jar").toString());
        path.addAll(jars(BOOT));
        path.addAll(hasActuator ? jars(ACTUATOR) : List.of());
        // What is added to an application comes last. In front, each class of Boot would be looked for in our jars
        // first.
        path.addAll(hasOurs ? jars(OURS) : List.of());
        this.classPath = String.join(File.pathSeparator, path);
        this.prepared = target.resolve("ahead")
                .resolve(
                        variant + (hasOurs ? "-ours-" : "-") + Runtime.version().feature());
    }

    private static Path target() {
        try {
            return Path.of(ApplicationJvm.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolveSibling("");
        } catch (URISyntaxException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private List<String> jars(Pattern names) {
        try {
            String all =
                    Files.readString(target.resolve("application.classpath")).trim();
            return Stream.of(all.split(File.pathSeparator, -1))
                    .filter(jar ->
                            names.matcher(Path.of(jar).getFileName().toString()).matches())
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Starts it, and returns what it said when it was ready. */
    Result start() {
        List<String> arguments = new ArrayList<>(
                isAhead
                        ? List.of("-Dspring.aot.enabled=true", "-cp", prepared + File.pathSeparator + classPath)
                        : List.of("-cp", classPath));
        if (isCached) {
            arguments.add((hasCache() ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=") + prepared);
        }
        return start(arguments);
    }

    private static boolean hasCache() {
        return Runtime.version().feature() >= FIRST_WITH_CACHE;
    }

    private static Result start(List<String> arguments) {
        String output = java(arguments, StartedApplication.class.getName());
        return output.lines()
                .filter(line -> line.startsWith("{"))
                .findFirst()
                .map(Result::parse)
                .orElseThrow(() -> new IllegalStateException(
                        "the application must print its result as a line of JSON, printed " + output));
    }

    boolean isPrepared() {
        return !(isAhead || isCached) || Files.exists(prepared);
    }

    /** Prepares what the variant wants. */
    void prepare() {
        if (isAhead) {
            generate();
        } else if (isCached) {
            writeDown();
        }
    }

    /** Has a start write down which classes it has loaded. */
    private void writeDown() {
        try {
            Files.createDirectories(prepared.getParent());
            boolean ignored = Files.deleteIfExists(prepared);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        Result ignored = start(List.of(
                (hasCache() ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=") + prepared, "-cp", classPath));
    }

    /** Has Spring generate what a start ahead of time needs, and compiles it. */
    private void generate() {
        try {
            Path sources = Files.createTempDirectory("sources");
            String output = java(
                    List.of("-cp", classPath),
                    "org.springframework.boot.SpringApplicationAotProcessor",
                    StartedApplication.class.getName(),
                    sources.toString(),
                    prepared.toString(),
                    prepared.toString(),
                    "io.github.wheelscheduler",
                    "started");
            List<String> arguments = new ArrayList<>(List.of(
                    "-nowarn",
                    "-proc:none",
                    "-d",
                    prepared.toString(),
                    "-cp",
                    prepared + File.pathSeparator + classPath));
            try (Stream<Path> files = Files.walk(sources)) {
                files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
            }
            int exitCode = ToolProvider.findFirst("javac")
                    .orElseThrow()
                    .run(System.out, System.err, arguments.toArray(String[]::new));
            if (exitCode != 0) {
                throw new IllegalStateException("the sources of Spring's ahead-of-time processing must compile, "
                        + "exit code of javac was " + exitCode + output);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String java(List<String> options, String... main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of(main));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new IllegalStateException("the application must end well, exit code " + exitCode + ": " + output);
            }
            return output;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }
}
