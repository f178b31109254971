package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The packaged application, started as the README says. */
@Timed
class SampleJarIT {

    private static final Path JAR = Path.of("target", "wheel-scheduler-sample.jar");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Each start lives for seconds only, which is less than compiling its code well takes. */
    private static final List<String> QUICK_START = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    @TempDir
    private Path directory;

    @Test
    void jarPrintsTheTable() throws Exception {
        assertThat(outputOf(List.of(), List.of())).contains("on the wheel:");
    }

    @Test
    void jarRunsOnBootsSchedulerOnRequest() throws Exception {
        assertThat(outputOf(List.of(), List.of("--scheduler=spring"))).contains("on the scheduler of Spring Boot:");
    }

    @Test
    void jarStartsFromWhatTheBuildPreparedAhead() throws Exception {
        assertThat(outputOf(List.of("-Dspring.aot.enabled=true"), List.of("--logging.level.io.github=info")))
                .contains("AOT-processed SampleApplication")
                .contains("on the wheel:")
                .containsPattern("heartbeat +every 100 ms +- +[1-9]\\d* +[1-9]");
    }

    @Test
    void settingsOfTasksHoldAheadOfTime() throws Exception {
        String beat = "--wheel.scheduler.tasks[io.github.wheelscheduler.sample.AnnotatedTasks.beat].enabled=false";
        assertThat(outputOf(
                        List.of("-Dspring.aot.enabled=true"),
                        List.of(beat, "--wheel.scheduler.tasks.imports.missed-runs=latest")))
                .contains("on the wheel:")
                .containsPattern("heartbeat +every 100 ms +- +[1-9]\\d* +0 ")
                .contains("no task has the id 'imports'. The closest match: 'import'");
        assertThat(outputOf(List.of("-Dspring.aot.enabled=true"), List.of("--wheel.scheduler.tasks.import.jitter=-1s")))
                .contains("The property 'wheel.scheduler.tasks.import.jitter' is '-1s'");
    }

    @Test
    void groupsNamedAtTheStartExistAheadOfTime() throws Exception {
        for (List<String> options : List.of(List.<String>of(), List.of("-Dspring.aot.enabled=true"))) {
            assertThat(outputOf(options, List.of("--wheel.scheduler.groups.reports.max-size=2")))
                    .contains("on the wheel:");
            assertThat(outputOf(options, List.of("--wheel.scheduler.groups.reportPrinter.max-size=2")))
                    .contains("wheel.scheduler.groups.reportPrinter", "must not be the name of another bean");
        }
    }

    @Test
    void whetherThereIsAWheelIsFixedAheadButItsLimitsAreNot() throws Exception {
        assertThat(outputOf(
                        List.of("-Dspring.aot.enabled=true"),
                        List.of("--wheel.scheduler.enabled=false", "--wheel.scheduler.max-catch-up=-1")))
                .contains("The property 'wheel.scheduler.max-catch-up' is '-1'");
    }

    @Test
    void demonstrationThatIsEndedLeavesNoProcess() throws Exception {
        Path output = directory.resolve("output");
        Process process = start(List.of(javaCommand(), "-jar", JAR.toString(), "--demo=cluster", "--nodes=2"), output);
        List<ProcessHandle> children;
        try {
            await().atMost(PATIENCE)
                    .until(() -> !process.isAlive() || Files.readString(output).contains("tasks are scheduled"));
            Assumptions.assumeFalse(
                    Files.readString(output).contains("PostgreSQL must start here"), "PostgreSQL does not start here");
            children = process.descendants().toList();
        } finally {
            end(process);
        }
        assertThat(Files.readString(output))
                .contains("3,000 tasks are scheduled")
                .doesNotContain("Exception");
        assertThat(children).hasSizeGreaterThanOrEqualTo(2);
        await().atMost(PATIENCE).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** The plugin that makes it does not run without the network. */
    @Test
    @DisabledIfSystemProperty(named = "wheel.test.maven", matches = "offline: true")
    void jarHasTheSbomOfTheApplication() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            Attributes attributes = jar.getManifest().getMainAttributes();
            assertThat(attributes.getValue("Sbom-Format")).isEqualTo("CycloneDX");
            String location = attributes.getValue("Sbom-Location");
            assertThat(location).isEqualTo("META-INF/sbom/application.cdx.json");
            assertThat(new String(jar.getInputStream(jar.getEntry(location)).readAllBytes(), StandardCharsets.UTF_8))
                    .contains("pkg:maven/io.github.wheelscheduler/wheel-scheduler-core@")
                    .contains("pkg:maven/io.github.wheelscheduler/wheel-scheduler-spring@")
                    .contains("pkg:maven/org.springframework.boot/spring-boot@")
                    .doesNotContain("pkg:maven/org.junit.jupiter/");
        }
    }

    /** Starts the application and ends it when it has printed its table, or has given up. */
    private String outputOf(List<String> options, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(javaCommand());
        command.addAll(QUICK_START);
        command.addAll(options);
        command.addAll(List.of("-jar", JAR.toString(), "--server.port=0", "--sample.report-after=1s"));
        command.addAll(arguments);
        Path output = directory.resolve("output");
        Process process = start(command, output);
        try {
            await().atMost(PATIENCE)
                    .until(() -> !process.isAlive() || Files.readString(output).contains("Stop with Ctrl+C"));
        } finally {
            end(process);
        }
        return Files.readString(output);
    }

    private static String javaCommand() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static Process start(List<String> command, Path output) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static void end(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
