package io.github.wheelscheduler.sample.cluster;

import io.github.wheelscheduler.testing.MariaDbServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.springframework.test.context.DynamicPropertyRegistry;

/** A database of its own for each test: H2 in memory, and servers that end with this JVM. */
final class TestServers {

    private static @Nullable EmbeddedPostgres postgresql;
    private static @Nullable MariaDbServer mariaDb;

    private TestServers() {}

    private static String newName() {
        return "t" + UUID.randomUUID().toString().replace("-", "");
    }

    static void useH2(DynamicPropertyRegistry registry) {
        String url = "jdbc:h2:mem:" + newName() + ";DB_CLOSE_DELAY=-1";
        registry.add("spring.datasource.url", () -> url);
        registry.add("spring.datasource.username", () -> "sa");
    }

    static void requirePostgresql() {
        if (postgresql == null) {
            requireWanted("postgresql");
            try {
                postgresql = EmbeddedPostgres.start();
            } catch (IOException | RuntimeException ex) {
                miss("postgresql", ex.toString());
            }
        }
    }

    static void usePostgresql(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", TestServers::newPostgresqlUrl);
        registry.add("spring.datasource.username", () -> "postgres");
    }

    private static String newPostgresqlUrl() {
        EmbeddedPostgres server = postgresql;
        if (server == null) {
            throw new IllegalStateException("PostgreSQL must have been required");
        }
        String name = newName();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("create database " + name);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
        return server.getJdbcUrl("postgres", name);
    }

    static void requireMariaDb() {
        if (mariaDb == null) {
            requireWanted("mariadb");
            try {
                mariaDb = MariaDbServer.start().orElse(null);
            } catch (IOException ex) {
                miss("mariadb", ex.toString());
            }
            if (mariaDb == null) {
                miss("mariadb", "there is no mariadbd here");
            }
        }
    }

    static void useMariaDb(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", TestServers::newMariaDbUrl);
    }

    private static String newMariaDbUrl() {
        MariaDbServer server = mariaDb;
        if (server == null) {
            throw new IllegalStateException("MariaDB must have been required");
        }
        try {
            return server.newUrl(newName());
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static void requireWanted(String name) {
        Assumptions.assumeFalse(isListed("wheel.test.skip", name), "skipped by wheel.test.skip");
    }

    private static void miss(String name, String why) {
        if (isListed("wheel.test.require", name)) {
            throw new IllegalStateException("wheel.test.require has " + name + ", but " + why);
        }
        Assumptions.abort(name + " does not start here: " + why);
    }

    private static boolean isListed(String property, String name) {
        return List.of(System.getProperty(property, "").split(",")).contains(name);
    }
}
