package io.github.wheelscheduler.durable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** The databases that tests run on: a PostgreSQL server of this JVM, in a database of each test's own, and H2 in memory. */
enum TestDatabase {
    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        }
    },
    POSTGRESQL {
        @Override
        String newUrl() {
            try {
                String name = "t" + UUID.randomUUID().toString().replace("-", "");
                try (java.sql.Connection connection =
                                server().getPostgresDatabase().getConnection();
                        java.sql.Statement statement = connection.createStatement()) {
                    boolean ignored = statement.execute("create database " + name);
                }
                return server().getJdbcUrl("postgres", name);
            } catch (java.sql.SQLException ex) {
                throw new IllegalStateException(ex);
            }
        }
    };

    private static @Nullable EmbeddedPostgres server;

    abstract String newUrl();

    /** Returns a pool of connections to a database of its own. */
    HikariDataSource newDataSource() {
        return dataSource(newUrl());
    }

    static HikariDataSource dataSource(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(20);
        if (url.startsWith("jdbc:h2")) {
            config.setUsername("sa");
        }
        return new HikariDataSource(config);
    }

    private static synchronized EmbeddedPostgres server() {
        Assumptions.assumeFalse(
                System.getProperty("wheel.test.skip", "").contains("postgresql"), "skipped by wheel.test.skip");
        try {
            if (server == null) {
                server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .start();
            }
            return server;
        } catch (IOException | RuntimeException ex) {
            if (System.getProperty("wheel.test.require", "").contains("postgresql")) {
                throw new IllegalStateException("PostgreSQL must start here, but does not", ex);
            }
            System.out.println("PostgreSQL does not start here, so tests on it are skipped: " + ex);
            return Assumptions.abort("PostgreSQL does not start here");
        }
    }
}
