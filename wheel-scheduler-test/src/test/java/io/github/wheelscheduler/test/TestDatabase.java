package io.github.wheelscheduler.test;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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

/**
 * The databases that durable tasks are tested on: H2 in memory, and servers of this JVM with a database of each test's
 * own.
 */
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
            String name = "t" + UUID.randomUUID().toString().replace("-", "");
            try (Connection connection = server().getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                boolean ignored = statement.execute("create database " + name);
            } catch (SQLException ex) {
                throw new IllegalStateException(ex);
            }
            return server().getJdbcUrl("postgres", name);
        }
    },
    MARIADB {
        @Override
        String newUrl() {
            try {
                return mariaDb().newUrl("t" + UUID.randomUUID().toString().replace("-", ""));
            } catch (SQLException ex) {
                throw new IllegalStateException(ex);
            }
        }
    };

    private static @Nullable EmbeddedPostgres server;
    private static @Nullable MariaDbServer mariaDb;

    abstract String newUrl();

    /** Returns a pool of connections to a database of its own. */
    HikariDataSource newDataSource() {
        return newDataSource(true);
    }

    /** Returns the same with connections that commit each statement by themselves, or not. */
    HikariDataSource newDataSource(boolean isAutoCommit) {
        HikariConfig config = new HikariConfig();
        config.setAutoCommit(isAutoCommit);
        config.setJdbcUrl(newUrl());
        config.setMaximumPoolSize(10);
        if (this == H2) {
            config.setUsername("sa");
        }
        return new HikariDataSource(config);
    }

    private static synchronized EmbeddedPostgres server() {
        assumeNotSkipped("postgresql");
        try {
            if (server == null) {
                server = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .start();
            }
            return server;
        } catch (IOException | RuntimeException ex) {
            throw missing("postgresql", "PostgreSQL does not start here: " + ex);
        }
    }

    private static synchronized MariaDbServer mariaDb() {
        assumeNotSkipped("mariadb");
        try {
            if (mariaDb == null) {
                mariaDb = MariaDbServer.start().orElseThrow(() -> missing("mariadb", "there is no mariadbd here"));
            }
            return mariaDb;
        } catch (IOException ex) {
            throw missing("mariadb", ex.toString());
        }
    }

    private static void assumeNotSkipped(String name) {
        Assumptions.assumeFalse(isListed("wheel.test.skip", name), "skipped by wheel.test.skip");
    }

    private static RuntimeException missing(String name, String why) {
        return isListed("wheel.test.require", name)
                ? new IllegalStateException("wheel.test.require has " + name + ", but " + why)
                : Assumptions.abort(why);
    }

    private static boolean isListed(String property, String name) {
        return List.of(System.getProperty(property, "").split(",")).contains(name);
    }
}
