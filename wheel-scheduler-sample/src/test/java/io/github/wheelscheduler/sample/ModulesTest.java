package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program can put all modules on its module path, and all have one version. */
class ModulesTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern NAME = Pattern.compile("<module.name>(.*)</module.name>");
    private static final Pattern OURS = Pattern.compile("<artifactId>(wheel-scheduler-[a-z-]+)</artifactId>");
    private static final Pattern INSTALLED = Pattern.compile("-am install [^`]*-pl ([a-z,-]+)");

    @Test
    void packagesAreInOneModuleEach() throws IOException {
        Map<String, Set<String>> modulesOfPackages = new TreeMap<>();
        for (Path module : modules()) {
            Path sources = module.resolve("src/main/java");
            if (Files.exists(sources)) {
                for (String name : packagesBelow(sources)) {
                    modulesOfPackages
                            .computeIfAbsent(name, key -> new TreeSet<>())
                            .add(module.getFileName().toString());
                }
            }
        }
        assertThat(modulesOfPackages).containsKey("io/github/wheelscheduler/keyed");
        assertThat(modulesOfPackages)
                .allSatisfy((name, modules) -> assertThat(modules).hasSize(1));
    }

    @Test
    void publishedModulesHaveNamesOfTheirOwn() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path module : modules()) {
            String pom = Files.readString(module.resolve("pom.xml"));
            boolean isJar = !pom.contains("<packaging>pom") && !pom.contains("<maven.deploy.skip>true");
            if (isJar) {
                Matcher name = NAME.matcher(pom);
                assertThat(name.find()).as("the name of %s", module).isTrue();
                assertThat(names.add(name.group(1)))
                        .as("the name of %s", module)
                        .isTrue();
            }
        }
        assertThat(names).contains("io.github.wheelscheduler.core", "io.github.wheelscheduler.timers");
    }

    @Test
    void versionIsInOnePlace() throws IOException {
        assertThat(ROOT.resolve("pom.xml")).content().containsOnlyOnce("-SNAPSHOT");
        for (Path module : modules()) {
            assertThat(module.resolve("pom.xml"))
                    .content()
                    .contains("<version>${revision}</version>")
                    .doesNotContain("-SNAPSHOT");
        }
    }

    @Test
    void readmeInstallsWhatIsPublished() throws IOException {
        Matcher command = INSTALLED.matcher(Files.readString(ROOT.resolve("README.md")));
        assertThat(command.find()).isTrue();
        Set<String> installed = new TreeSet<>();
        for (String module : command.group(1).split(",", -1)) {
            addWithNeeded(module, installed);
        }
        Set<String> published = new TreeSet<>();
        for (Path module : modules()) {
            if (!Files.readString(module.resolve("pom.xml")).contains("<maven.deploy.skip>true")) {
                published.add(module.getFileName().toString());
            }
        }
        assertThat(published).contains("wheel-scheduler-bom");
        assertThat(installed).containsAll(published);
    }

    /** Like the option -am, which does not follow what a BOM names. */
    private static void addWithNeeded(String module, Set<String> all) throws IOException {
        String pom = Files.readString(ROOT.resolve(module).resolve("pom.xml"));
        if (!all.add(module) || pom.contains("<packaging>pom")) {
            return;
        }
        for (MatchResult needed : OURS.matcher(pom).results().toList()) {
            if (Files.exists(ROOT.resolve(needed.group(1)))) {
                addWithNeeded(needed.group(1), all);
            }
        }
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> files = Files.list(ROOT)) {
            return files.filter(path -> Files.exists(path.resolve("pom.xml"))).toList();
        }
    }

    private static List<String> packagesBelow(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> sources.relativize(file.getParent()).toString().replace('\\', '/'))
                    .distinct()
                    .toList();
        }
    }
}
