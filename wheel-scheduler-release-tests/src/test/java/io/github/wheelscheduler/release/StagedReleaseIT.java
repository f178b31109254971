package io.github.wheelscheduler.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The files that would be sent to Maven Central. */
class StagedReleaseIT {

    private static final Map<String, String> ALGORITHMS =
            Map.of(".md5", "MD5", ".sha1", "SHA-1", ".sha256", "SHA-256", ".sha512", "SHA-512");
    private static final String SIGNATURE = ".asc";
    private static final String SBOM = "-cyclonedx.json";
    private static final String BOM = "wheel-scheduler-bom";

    private static StagedRelease release;

    @BeforeAll
    static void stage() throws IOException, InterruptedException {
        release = Releases.first();
    }

    @AfterAll
    static void deleteKey() throws IOException, InterruptedException {
        Releases.deleteKey();
    }

    @Test
    void bomNamesTheModulesThatAreStagedBesideIt() throws IOException {
        Pom bom = release.pom(BOM);
        List<String> named = bom.texts("dependencyManagement/dependencies/dependency/artifactId");
        assertThat(release.jarModules()).hasSizeGreaterThan(8).containsExactlyInAnyOrderElementsOf(named);
        assertThat(bom.texts("dependencyManagement/dependencies/dependency/version"))
                .hasSameSizeAs(named)
                .containsOnly(release.version());
        assertThat(bom.texts("dependencyManagement/dependencies/dependency/groupId"))
                .hasSameSizeAs(named)
                .containsOnly("io.github.wheelscheduler");
    }

    @Test
    void moduleHasTheFilesThatCentralAsksForAndNoOthers() throws IOException {
        for (String module : release.modules()) {
            List<String> ends = module.equals(BOM)
                    ? List.of(".pom", SBOM)
                    : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", SBOM);
            TreeSet<Path> expected = new TreeSet<>();
            for (String end : ends) {
                expected.add(release.file(module, end));
                if (Releases.key().isPresent()) {
                    expected.add(release.file(module, end + SIGNATURE));
                }
                ALGORITHMS.keySet().forEach(sum -> expected.add(release.file(module, end + sum)));
            }
            assertThat(release.directory(module)).isDirectoryNotContaining(file -> !expected.remove(file));
            assertThat(expected).as("missing").isEmpty();
        }
    }

    @Test
    void checksumsAreOfTheFilesBesideThem() throws IOException, NoSuchAlgorithmException {
        int checked = 0;
        for (Path file : release.files()) {
            String name = file.toString();
            String algorithm = ALGORITHMS.get(name.substring(name.lastIndexOf('.')));
            if (algorithm != null) {
                Path summed = release.folder().resolve(name.substring(0, name.lastIndexOf('.')));
                assertThat(release.folder().resolve(file)).hasContent(sumOf(algorithm, summed));
                checked++;
            }
        }
        assertThat(checked).isPositive();
    }

    @Test
    void signaturesAreOfTheKey() throws IOException, InterruptedException {
        assumeTrue(Releases.key().isPresent(), "there is no gpg here, so nothing is signed");
        int verified = 0;
        for (Path file : release.files()) {
            if (file.toString().endsWith(SIGNATURE)) {
                String signed = file.toString().substring(0, file.toString().length() - SIGNATURE.length());
                Releases.key()
                        .get()
                        .verify(
                                Releases.LOGS.resolve("verify.log"),
                                release.folder().resolve(signed));
                verified++;
            }
        }
        assertThat(verified).isEqualTo(release.jarModules().size() * 5 + 2);
    }

    @Test
    void pomSaysWhatCentralAsksFor() throws IOException {
        for (String module : release.modules()) {
            Pom pom = release.pom(module);
            assertThat(pom.texts("groupId")).containsExactly("io.github.wheelscheduler");
            assertThat(pom.texts("artifactId")).containsExactly(module);
            assertThat(pom.texts("version")).containsExactly(release.version());
            for (String path : List.of(
                    "name",
                    "description",
                    "url",
                    "licenses/license/name",
                    "licenses/license/url",
                    "developers/developer/name",
                    "developers/developer/url",
                    "scm/connection",
                    "scm/developerConnection",
                    "scm/url")) {
                assertThat(pom.texts(path))
                        .as("%s of %s", path, module)
                        .hasSize(1)
                        .noneMatch(String::isEmpty);
            }
        }
    }

    @Test
    void pomStandsAlone() throws IOException {
        for (String module : release.modules()) {
            assertThat(release.file(module, ".pom")).content().doesNotContain("${", "SNAPSHOT");
            Pom pom = release.pom(module);
            assertThat(pom.elements())
                    .as(module)
                    .doesNotContain("parent", "modules", "properties", "build", "profiles", "repositories");
            assertThat(pom.elements().contains("dependencyManagement")).isEqualTo(module.equals(BOM));
            assertThat(pom.texts("dependencies/dependency/version"))
                    .as(module)
                    .hasSameSizeAs(pom.texts("dependencies/dependency"));
            assertThat(pom.texts("dependencies/dependency/scope")).as(module).doesNotContain("test");
        }
        assertThat(release.pom("wheel-scheduler-netty").texts("dependencies/dependency/artifactId"))
                .containsExactlyInAnyOrder("wheel-scheduler-core", "netty-common", "jspecify");
    }

    @Test
    void jarSaysItsNameAndVersionAndHasNoSbom() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        for (String module : release.jarModules()) {
            try (JarFile jar = new JarFile(release.file(module, ".jar").toFile())) {
                Attributes attributes = jar.getManifest().getMainAttributes();
                assertThat(names.add(attributes.getValue("Automatic-Module-Name")))
                        .isTrue();
                assertThat(attributes.getValue("Implementation-Version")).isEqualTo(release.version());
                assertThat(jar.stream().map(ZipEntry::getName)).noneMatch(name -> name.startsWith("META-INF/sbom"));
                ZipEntry pom = jar.getEntry("META-INF/maven/io.github.wheelscheduler/" + module + "/pom.xml");
                assertThat(jar.getInputStream(pom))
                        .hasSameContentAs(Files.newInputStream(release.file(module, ".pom")));
            }
        }
        assertThat(names).allMatch(name -> name.startsWith("io.github.wheelscheduler."));
    }

    @Test
    void sourcesAndJavadocAreOfTheClasses() throws IOException {
        for (String module : release.jarModules()) {
            List<String> sources = entries(release.file(module, "-sources.jar"));
            List<String> javadoc = entries(release.file(module, "-javadoc.jar"));
            List<String> classes = entries(release.file(module, ".jar")).stream()
                    .filter(name -> name.endsWith(".class") && !name.contains("$"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .toList();
            if (classes.isEmpty()) {
                assertThat(module).endsWith("-starter");
                assertThat(sources).contains("README.md");
                assertThat(javadoc).contains("README.md");
            } else {
                assertThat(sources)
                        .as(module)
                        .containsAll(
                                classes.stream().map(name -> name + ".java").toList());
                assertThat(javadoc).as(module).contains("index.html");
            }
        }
        assertThat(entries(release.file("wheel-scheduler-core", "-javadoc.jar")))
                .anyMatch(name -> name.endsWith("io/github/wheelscheduler/WheelScheduledExecutor.html"));
    }

    @Test
    void sbomIsOfItsModule() throws IOException {
        for (String module : release.modules()) {
            assertThat(release.file(module, SBOM))
                    .content()
                    .contains(
                            "\"bomFormat\" : \"CycloneDX\"",
                            "\"bom-ref\" : \"pkg:maven/io.github.wheelscheduler/" + module + "@" + release.version())
                    .doesNotContain("SNAPSHOT");
        }
        assertThat(release.file("wheel-scheduler-core", SBOM)).content().contains("pkg:maven/org.jctools/");
    }

    @Test
    void secondBuildHasTheSameBytes() throws IOException, InterruptedException, NoSuchAlgorithmException {
        Map<String, String> first = sumsOf(release);
        assertThat(first).hasSize(release.jarModules().size() * 5 + 2);
        assertThat(sumsOf(Releases.second())).containsExactlyEntriesOf(first);
    }

    /** Returns what each file is, but for signatures and checksums. */
    private static Map<String, String> sumsOf(StagedRelease staged) throws IOException, NoSuchAlgorithmException {
        Map<String, String> sums = new TreeMap<>();
        for (Path file : staged.files()) {
            String end = file.toString().substring(file.toString().lastIndexOf('.'));
            if (!end.equals(SIGNATURE) && !ALGORITHMS.containsKey(end)) {
                sums.put(file.toString(), sumOf("SHA-256", staged.folder().resolve(file)));
            }
        }
        return sums;
    }

    private static String sumOf(String algorithm, Path file) throws IOException, NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
    }

    private static List<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return new ArrayList<>(file.stream().map(ZipEntry::getName).toList());
        }
    }
}
