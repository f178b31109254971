package io.github.wheelscheduler.durable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** The databases that tests run on: servers of this JVM, with a database of each test's own, and H2 in memory. */
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
                String name = newName();
                try (java.sql.Connection connection =
                                postgresql().getPostgresDatabase().getConnection();
                        java.sql.Statement statement = connection.createStatement()) {
                    boolean ignored = statement.execute("create database " + name);
                }
                return postgresql().getJdbcUrl("postgres", name);
            } catch (java.sql.SQLException ex) {
                throw new IllegalStateException(ex);
            }
        }
    },
    MARIADB {
        @Override
        String newUrl() {
            try {
                return mariaDb().newUrl(newName());
            } catch (java.sql.SQLException ex) {
                throw new IllegalStateException(ex);
            }
        }
    };

    static final int CONNECTIONS = 20;

    private static @Nullable EmbeddedPostgres postgresql;
    private static @Nullable MariaDbServer mariaDb;

    abstract String newUrl();

    /** Returns a pool of connections to a database of its own. */
    HikariDataSource newDataSource() {
        return dataSource(newUrl());
    }

    static HikariDataSource dataSource(String url) {
        return dataSource(url, CONNECTIONS);
    }

    static HikariDataSource dataSource(String url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        if (url.startsWith("jdbc:h2")) {
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
                mariaDb = MariaDbServer.start()
                        .orElseThrow(() -> missing(
                                "mariadb", "there is no mariadbd here; Debian has it in the package mariadb-server"));
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
        System.out.println("Tests on " + name + " are skipped: " + why);
        return Assumptions.abort(why);
    }

    private static boolean isListed(String property, String name) {
        return List.of(System.getProperty(property, "").split(",")).contains(name);
    }
}
