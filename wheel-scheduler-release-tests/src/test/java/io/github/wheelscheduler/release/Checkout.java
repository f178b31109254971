package io.github.wheelscheduler.release;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of this project, which a test copies before it builds them. */
final class Checkout {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern REVISION = Pattern.compile("<revision>(.*?)(-SNAPSHOT)?</revision>");
    private static final Pattern SPRING_BOOT = Pattern.compile("<spring-boot.version>(.*?)</");
    private static final Set<String> LEFT_OUT = Set.of(".git", "target");

    private Checkout() {}

    /** Returns the version of the next release. */
    static String version() throws IOException {
        return find(REVISION);
    }

    /** Returns the version of Spring Boot that a release is built on. */
    static String springBoot() throws IOException {
        return find(SPRING_BOOT);
    }

    /** Returns what the POM has first. */
    private static String find(Pattern pattern) throws IOException {
        Matcher found = pattern.matcher(Files.readString(ROOT.resolve("pom.xml")));
        if (!found.find()) {
            throw new IllegalStateException("pom.xml must have " + pattern + ", has none");
        }
        return found.group(1);
    }

    /** Returns the names of the modules that are not published. */
    static List<String> unpublishedModules() throws IOException {
        try (Stream<Path> files = Files.list(ROOT)) {
            return files.filter(module -> isUnpublished(module.resolve("pom.xml")))
                    .map(module -> module.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static boolean isUnpublished(Path pom) {
        try {
            return Files.exists(pom) && Files.readString(pom).contains("<maven.deploy.skip>true");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Copies a directory without what was built in it; each file as the function returns its bytes' text, if it is an
     * XML file.
     */
    static void copy(Path from, Path to, UnaryOperator<String> xml) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (LEFT_OUT.contains(directory.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path copy = to.resolve(from.relativize(file));
                if (file.toString().endsWith(".xml")) {
                    Files.writeString(copy, xml.apply(Files.readString(file)));
                } else {
                    Files.copy(file, copy);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Deletes a directory that may be missing. */
    static void delete(Path directory) throws IOException {
        if (Files.notExists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
