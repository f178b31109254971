package io.github.wheelscheduler.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** What would be sent to Maven Central, in a folder that is laid out as a repository. */
final class StagedRelease {

    private static final String GROUP = "io/github/wheelscheduler";

    private final Path folder;
    private final String version;

    private StagedRelease(Path folder, String version) {
        this.folder = folder;
        this.version = version;
    }

    /**
     * Builds a copy of the checkout, in a directory of this name, and unpacks the bundle that it makes for Maven
     * Central.
     */
    static StagedRelease build(String name, Map<String, String> environment, List<String> options)
            throws IOException, InterruptedException {
        Path target = Path.of("target").toAbsolutePath();
        Path copy = target.resolve("copies").resolve(name);
        Path folder = target.resolve("staged").resolve(name);
        Checkout.delete(copy);
        Checkout.delete(folder);
        Checkout.copy(Checkout.ROOT, copy, UnaryOperator.identity());
        String version = Checkout.version();
        List<String> arguments = new ArrayList<>(List.of(
                "deploy",
                "-Prelease",
                "-Drevision=" + version,
                "-DskipUpload",
                "-Dmaven.test.skip",
                "-Dmaven.install.skip",
                "-Dmaven.repo.local=" + System.getProperty("wheel.release.repository"),
                "-pl",
                Checkout.unpublishedModules().stream()
                        .map(module -> "!" + module)
                        .collect(Collectors.joining(","))));
        arguments.addAll(options);
        Commands.maven(copy, target.resolve("logs/" + name + ".log"), environment, arguments);
        unpack(copy.resolve("target/central-publishing/central-bundle.zip"), folder);
        return new StagedRelease(folder, version);
    }

    private static void unpack(Path zip, Path folder) throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path file = folder.resolve(entry.getName()).normalize();
                assertThat(file).startsWithRaw(folder);
                if (!entry.isDirectory()) {
                    Files.createDirectories(file.getParent());
                    Files.copy(in, file);
                }
            }
        }
    }

    Path folder() {
        return folder;
    }

    String version() {
        return version;
    }

    /** Returns the names of the modules that are staged. */
    List<String> modules() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(GROUP))) {
            return files.map(module -> module.getFileName().toString()).sorted().toList();
        }
    }

    /** Returns the names of the modules that are staged and have jars. */
    List<String> jarModules() throws IOException {
        return modules().stream().filter(module -> !module.endsWith("-bom")).toList();
    }

    /** Returns the directory of a module's version. */
    Path directory(String module) {
        return folder.resolve(GROUP).resolve(module).resolve(version);
    }

    /** Returns a file of a module by what comes after the version in its name. */
    Path file(String module, String end) {
        return directory(module).resolve(module + "-" + version + end);
    }

    Pom pom(String module) throws IOException {
        try (InputStream in = Files.newInputStream(file(module, ".pom"))) {
            return Pom.read(in);
        }
    }

    /** Returns all files, relative to the folder. */
    List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(folder::relativize)
                    .sorted()
                    .toList();
        }
    }
}
