package io.github.wheelscheduler.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A project outside of the checkout, in src/outside. It takes what is ours from the staged folder and all else from Maven Central,
 * into a local repository of its own, which stays until the module is cleaned.
 */
class OutsideIT {

    private static final Path SOURCES = Path.of("src", "outside").toAbsolutePath();
    private static final Path REPOSITORY = Path.of("target", "repository").toAbsolutePath();
    private static final String OURS = "io/github/wheelscheduler";
    private static final String STAGED = ">staged=";

    @TempDir
    private static Path directory;

    private static StagedRelease release;

    @BeforeAll
    static void run() throws IOException, InterruptedException {
        release = Releases.first();
        Map<String, String> values = Map.of(
                "@version@", release.version(),
                "@spring-boot.version@", System.getProperty("wheel.release.spring-boot"),
                "@staged@", release.folder().toUri().toString());
        Checkout.copy(SOURCES, directory, text -> {
            for (Map.Entry<String, String> value : values.entrySet()) {
                text = text.replace(value.getKey(), value.getValue());
            }
            return text;
        });
        Checkout.delete(REPOSITORY.resolve(OURS));
        Commands.maven(
                directory,
                Releases.LOGS.resolve("outside.log"),
                Map.of(),
                List.of("verify", "-Dmaven.repo.local=" + REPOSITORY));
    }

    @Test
    void eachProgramHasRun() throws IOException {
        Map<String, String> results = new TreeMap<>();
        for (Path report : find(directory, "TEST-")) {
            String text = Files.readString(report);
            assertThat(text).contains(" tests=\"1\"", " errors=\"0\"", " skipped=\"0\"", " failures=\"0\"");
            results.put(directory.relativize(report).getName(0).toString(), text);
        }
        assertThat(results).containsOnlyKeys("durable", "module-path", "netty", "plain", "test-kit", "webflux");
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
        assertThat(ours).isEqualTo(release.modules().size());
    }

    private static List<Path> find(Path folder, String start) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(start))
                    .toList();
        }
    }
}
