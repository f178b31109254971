package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.ObservationRegistry;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Durable tasks need no Micrometer on the class path, and load no class of it. */
class WithoutMicrometerTest {

    /** Runs a durable task, which fails once, in a class loader of its own. */
    public static final class Program {

        private Program() {}

        /** Returns the payloads that the handler was called with. */
        public static List<String> run(String database) {
            JdbcDataSource dataSource = new JdbcDataSource();
            dataSource.setURL("jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1");
            List<String> ran = new CopyOnWriteArrayList<>();
            try (Node node = new Node("a", dataSource)) {
                node.handle("note", String.class, payload -> {
                    ran.add(payload);
                    if (ran.size() == 1) {
                        throw new IllegalStateException("on purpose");
                    }
                });
                node.start();
                boolean ignored = node.engine.schedule("note", "1", "first", Instant.now());
                await().atMost(Duration.ofSeconds(60)).until(() -> ran.size() == 2);
            }
            return List.copyOf(ran);
        }
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void durableTasksRunWithoutMicrometer() throws Exception {
        URL[] withoutMicrometer = Stream.of(
                        System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> !path.contains("micrometer"))
                .map(WithoutMicrometerTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(withoutMicrometer, ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> loader.loadClass(ObservationRegistry.class.getName()))
                    .isInstanceOf(ClassNotFoundException.class);
            Thread current = Thread.currentThread();
            ClassLoader before = current.getContextClassLoader();
            current.setContextClassLoader(loader);
            try {
                Object ran = loader.loadClass(Program.class.getName())
                        .getMethod("run", String.class)
                        .invoke(null, "t" + UUID.randomUUID());
                assertThat(ran).isEqualTo(List.of("first", "first"));
            } finally {
                current.setContextClassLoader(before);
            }
        }
    }
}
