package io.github.wheelscheduler.usewith;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars are named modules, say their version, and a program on the module path compiles and runs with them. */
class ModulePathIT {

    private static final String MODULE = """
            module garden {
                requires io.github.wheelscheduler.core;
                requires io.github.wheelscheduler.timers;
                requires io.github.wheelscheduler.netty;
                requires io.netty.common;
                requires org.jctools.core.jdk11; // an automatic module, as core is, cannot require it
            }
            """;

    private static final String PROGRAM = """
            package garden;

            import io.github.wheelscheduler.WheelScheduledExecutor;
            import io.github.wheelscheduler.keyed.KeyedTimers;
            import io.github.wheelscheduler.netty.WheelNettyTimer;
            import io.netty.util.Timer;
            import java.time.Duration;
            import java.util.concurrent.CountDownLatch;
            import java.util.concurrent.TimeUnit;

            public class Garden {
                public static void main(String[] args) throws Exception {
                    try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build()) {
                        CountDownLatch ran = new CountDownLatch(3);
                        executor.schedule(ran::countDown, 1, TimeUnit.MILLISECONDS);
                        KeyedTimers<String, String> keyed = KeyedTimers.<String, String>builder(executor, (bed, plant) -> ran.countDown()).build();
                        keyed.set("bed", "beans", Duration.ofMillis(1));
                        Timer timer = WheelNettyTimer.builder(executor).build();
                        timer.newTimeout(timeout -> ran.countDown(), 1, TimeUnit.MILLISECONDS);
                        boolean all = ran.await(30, TimeUnit.SECONDS);
                        System.out.println(Garden.class.getModule().getName() + " on "
                                + WheelScheduledExecutor.class.getModule().getName() + ": " + all);
                        timer.stop();
                    }
                }
            }
            """;

    @TempDir
    private Path folder;

    private static List<Path> jars() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> entry.endsWith(".jar"))
                .map(Path::of)
                .toList();
    }

    private static List<Path> ourJars() {
        return jars().stream()
                .filter(jar -> jar.getFileName().toString().matches("wheel-scheduler-(?!use-with).*"))
                .toList();
    }

    private static Attributes manifest(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getManifest().getMainAttributes();
        }
    }

    @Test
    void jarsHaveModuleNamesAndVersions() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path jar : ourJars()) {
            Attributes manifest = manifest(jar);
            String file = jar.getFileName().toString();
            assertThat(file).endsWith("-" + manifest.getValue("Implementation-Version") + ".jar");
            assertThat(names.add(manifest.getValue("Automatic-Module-Name")))
                    .as("whether %s has a name of its own", file)
                    .isTrue();
        }
        assertThat(names)
                .contains(
                        "io.github.wheelscheduler.autoconfigure",
                        "io.github.wheelscheduler.core",
                        "io.github.wheelscheduler.netty",
                        "io.github.wheelscheduler.starter",
                        "io.github.wheelscheduler.test",
                        "io.github.wheelscheduler.timers")
                .doesNotContainNull();
    }

    @Test
    void programOnTheModulePathCompilesAndRuns() throws Exception {
        Path sources = Files.createDirectories(folder.resolve("sources/garden"));
        Path descriptor = Files.writeString(sources.resolveSibling("module-info.java"), MODULE);
        Path program = Files.writeString(sources.resolve("Garden.java"), PROGRAM);
        String path = jars().stream()
                .filter(jar -> jar.getFileName()
                        .toString()
                        .matches("(wheel-scheduler-(core|timers|netty)|jctools|jspecify|netty-common).*"))
                .map(Path::toString)
                .collect(joining(File.pathSeparator));
        String classes = folder.resolve("classes").toString();
        compile(path, classes, descriptor, program);

        ProcessBuilder command = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                path + File.pathSeparator + classes,
                "--module",
                "garden/garden.Garden");
        Path output = folder.resolve("output");
        Process process = command.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(output)).contains("garden on io.github.wheelscheduler.core: true");
        assertThat(process.exitValue()).isZero();
    }

    private static void compile(String path, String classes, Path... sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        boolean compiles = compiler.getTask(
                        messages,
                        null,
                        null,
                        List.of("--module-path", path, "-d", classes, "-proc:none"),
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(sources))
                .call();
        assertThat(compiles).as(messages::toString).isTrue();
    }
}
