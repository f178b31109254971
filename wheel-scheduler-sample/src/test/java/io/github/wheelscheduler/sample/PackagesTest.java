package io.github.wheelscheduler.sample;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Packages stay small, simple names exist once, and programs need nothing that is internal. */
class PackagesTest {

    private static final Path ROOT = Path.of("..");
    private static final long MOST_FILES = 50;

    /** A class may have several tests. */
    private static final long MOST_TESTS = 60;

    /** They are programs, or only for the project itself. */
    private static final Set<String> UNPUBLISHED =
            Set.of("wheel-scheduler-sample", "wheel-scheduler-use-with", "wheel-scheduler-benchmarks");

    @Test
    void packageStaysSmall() throws IOException {
        Map<Path, Long> files = sources().stream().collect(groupingBy(Path::getParent, TreeMap::new, counting()));
        boolean ignored = files.entrySet()
                .removeIf(each ->
                        each.getValue() <= (each.getKey().toString().contains("/src/test/") ? MOST_TESTS : MOST_FILES));
        assertThat(files).isEmpty();
    }

    @Test
    void simpleNameExistsOnce() throws IOException {
        Map<String, Long> names = sources().stream()
                .filter(source -> !UNPUBLISHED.contains(moduleOf(source)))
                .filter(source -> source.toString().contains("/src/main/"))
                .map(source -> source.getFileName().toString())
                .filter(name -> !name.equals("package-info.java"))
                .collect(groupingBy(name -> name, TreeMap::new, counting()));
        boolean ignored = names.values().removeIf(count -> count == 1);
        assertThat(names).isEmpty();
    }

    @Test
    void programNeedsNothingInternal() throws IOException {
        String internal = "io.github.wheelscheduler." + "internal";
        for (Path source : sources()) {
            String module = moduleOf(source);
            if (module.equals("wheel-scheduler-sample") || module.equals("wheel-scheduler-use-with")) {
                assertThat(source).content().doesNotContain(internal);
            }
        }
    }

    private static String moduleOf(Path source) {
        return ROOT.relativize(source).getName(0).toString();
    }

    static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> roots = modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList();
            return roots.stream().flatMap(PackagesTest::sourcesIn).toList();
        }
    }

    private static Stream<Path> sourcesIn(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
