package io.github.wheelscheduler.benchmarks;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * A JDK that measures.
 *
 * @param home its directory
 * @param version its version, such as {@code 25.0.3}
 */
record Jdk(Path home, Runtime.Version version) {

    static Jdk current() {
        return new Jdk(Path.of(System.getProperty("java.home")), Runtime.version());
    }

    /**
     * Looks a JDK over.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Jdk at(Path home) {
        Path release = home.resolve("release");
        if (!Files.isRegularFile(release)) {
            throw new IllegalArgumentException("--java must be the home of a JDK, was " + home);
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(release)) {
            properties.load(reader);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return new Jdk(
                home,
                Runtime.Version.parse(properties.getProperty("JAVA_VERSION", "").replace("\"", "")));
    }

    int feature() {
        return version.feature();
    }
}
