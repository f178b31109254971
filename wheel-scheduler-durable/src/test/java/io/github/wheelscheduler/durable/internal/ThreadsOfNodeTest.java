package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** All threads of a node inherit nothing, and have the class loader of the thread that made its executor. */
@ParameterizedClass
@EnumSource(TestDatabase.class)
@Timeout(120)
class ThreadsOfNodeTest {

    private static final InheritableThreadLocal<String> HEIRLOOM = new InheritableThreadLocal<>();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
    private final ClassLoader other = new ClassLoader(getClass().getClassLoader()) {};
    private final HikariDataSource pool;
    private final boolean hasEar;

    /** By the name of a thread of the node. */
    private final Map<String, Having> seen = new ConcurrentHashMap<>();

    private Node node;

    ThreadsOfNodeTest(TestDatabase database) {
        pool = database.newDataSource();
        hasEar = database == TestDatabase.POSTGRESQL;
    }

    /** What a thread has. */
    private record Having(String value, ClassLoader loader) {}

    /** Looks at each thread that asks for a connection. */
    private final class Looking extends DelegatingDataSource {

        Looking() {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            look();
            return super.getConnection();
        }
    }

    @AfterEach
    void close() {
        node.close();
        pool.close();
    }

    private void look() {
        Thread thread = Thread.currentThread();
        if (thread.getName().startsWith("wheel-")) {
            seen.put(thread.getName(), new Having(String.valueOf(HEIRLOOM.get()), thread.getContextClassLoader()));
        }
    }

    private static <T> T callWith(String own, ClassLoader loader, Callable<T> action) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            HEIRLOOM.set(own);
            try {
                boolean ignored = result.complete(action.call());
            } catch (Throwable ex) {
                boolean ignored = result.completeExceptionally(ex);
            }
        });
        thread.setContextClassLoader(loader);
        thread.start();
        return result.orTimeout(30, TimeUnit.SECONDS).join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void threadsInheritNothing(boolean isStartedByTheMaker) {
        node = callWith("maker", application, () -> new Node("a", new Looking()));
        Node ignored = callWith(
                "starter",
                isStartedByTheMaker ? application : other,
                () -> node.handle("note", String.class, payload -> look()).start());
        for (int i = 0; i < 10; i++) {
            String id = "" + i;
            boolean unused = callWith("caller", other, () -> node.engine.schedule("note", id, "x", Instant.now()));
        }
        await().atMost(PATIENCE).until(() -> node.engine.counts().succeeded() >= 10);
        if (hasEar) {
            await().atMost(PATIENCE).until(() -> seen.containsKey("wheel-durable-listener"));
        }
        assertThat(seen)
                .isNotEmpty()
                .allSatisfy((thread, having) -> assertThat(having).isEqualTo(new Having("null", application)));
    }
}
