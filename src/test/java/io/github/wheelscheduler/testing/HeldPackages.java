package io.github.wheelscheduler.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The packages that programs may rely on: those of published modules, but for packages of which their {@code
 * package-info} says that they are for something else only, and may change with any version.
 */
public final class HeldPackages {

    private static final Path ROOT = Path.of("..");
    private static final Pattern MAY_CHANGE =
            Pattern.compile("only:[\\s*]+(it|they)[\\s*]+may[\\s*]+change[\\s*]+with[\\s*]+any[\\s*]+version");

    private HeldPackages() {}

    /** Returns the folders of the modules that are published and have code. */
    public static List<Path> publishedModules() throws IOException {
        try (Stream<Path> folders = Files.list(ROOT)) {
            List<Path> modules = folders.filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
                    .sorted()
                    .toList();
            return modules.stream().filter(HeldPackages::isPublished).toList();
        }
    }

    private static boolean isPublished(Path module) {
        try {
            return !Files.readString(module.resolve("pom.xml")).contains("<maven.deploy.skip>true");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns the names of those of all modules. */
    public static Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path module : publishedModules()) {
            for (Path file : packagesOf(module)) {
                if (!MAY_CHANGE.matcher(Files.readString(file)).find()) {
                    Path folder = module.resolve("src/main/java").relativize(file.getParent());
                    names.add(folder.toString().replace('\\', '/').replace('/', '.'));
                }
            }
        }
        return names;
    }

    private static List<Path> packagesOf(Path module) throws IOException {
        try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
            return files.filter(file -> file.endsWith("package-info.java")).toList();
        }
    }
}
