package io.github.wheelscheduler.history.internal;

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

/** The databases of these tests: servers of this JVM, with a database of each test's own, and H2 in memory. */
enum HistoryDatabase {
    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        }
    },
    POSTGRESQL {
        @Override
        String newUrl() throws SQLException {
            String name = newName();
            try (Connection connection = postgresql().getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                boolean ignored = statement.execute("create database " + name);
            }
            return postgresql().getJdbcUrl("postgres", name);
        }
    },
    MARIADB {
        @Override
        String newUrl() throws SQLException {
            return mariaDb().newUrl(newName());
        }
    };

    private static final int CONNECTIONS = 5;

    private static @Nullable EmbeddedPostgres postgresql;
    private static @Nullable MariaDbServer mariaDb;

    abstract String newUrl() throws SQLException;

    /** Returns a pool of connections to a database of its own. */
    HikariDataSource newDataSource() {
        HikariConfig config = new HikariConfig();
        try {
            config.setJdbcUrl(newUrl());
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
        config.setMaximumPoolSize(CONNECTIONS);
        if (this == H2) {
            config.setUsername("sa");
        }
        return new HikariDataSource(config);
    }

    private static String newName() {
        return "t" + UUID.randomUUID().toString().replace("-", "");
    }

    private static synchronized EmbeddedPostgres postgresql() {
        assumeNotSkipped("postgresql");
        try {
            if (postgresql == null) {
                postgresql = EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .start();
            }
            return postgresql;
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
        if (isListed("wheel.test.require", name)) {
            return new IllegalStateException("wheel.test.require has " + name + ", but " + why);
        }
        return Assumptions.abort(why);
    }

    private static boolean isListed(String property, String name) {
        return List.of(System.getProperty(property, "").split(",")).contains(name);
    }
}
