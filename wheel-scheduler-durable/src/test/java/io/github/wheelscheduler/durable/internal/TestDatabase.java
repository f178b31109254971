package io.github.wheelscheduler.durable.internal;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.testing.MariaDbServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.springframework.jdbc.datasource.DelegatingDataSource;

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

    /**
     * Notes what goes over its connections: statements, their parameters, the columns that are read of their rows, and
     * how transactions end. For one thread.
     */
    static final class RecordingDataSource extends DelegatingDataSource {

        final List<String> statements = new ArrayList<>();
        final List<Object> parameters = new ArrayList<>();
        final Set<String> columns = new TreeSet<>();

        /** What was asked of connections beside statements, in its order. */
        final List<String> calls = new ArrayList<>();

        private boolean commitsItself = true;

        RecordingDataSource(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setAutoCommit(commitsItself);
            return recorded(Connection.class, connection);
        }

        /** Whether statements on connections from now on are committed at once. */
        void commitsItself(boolean itself) {
            commitsItself = itself;
        }

        void forget() {
            statements.clear();
            parameters.clear();
            columns.clear();
            calls.clear();
        }

        private <T> T recorded(Class<T> type, Object target) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        note(target, method.getName(), arguments == null ? new Object[0] : arguments);
                        try {
                            Object result = method.invoke(target, arguments);
                            if (result instanceof PreparedStatement) {
                                return recorded(PreparedStatement.class, result);
                            }
                            return result instanceof ResultSet ? recorded(ResultSet.class, result) : result;
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }

        private void note(Object target, String method, Object[] arguments) {
            if (target instanceof Connection) {
                if (method.startsWith("prepare")) {
                    statements.add((String) arguments[0]);
                } else if (!method.startsWith("get")) {
                    calls.add(method);
                }
            } else if (target instanceof PreparedStatement && method.startsWith("set") && arguments.length >= 2) {
                parameters.add(arguments[1]);
            } else if (target instanceof ResultSet && method.startsWith("get") && arguments.length >= 1) {
                columns.add(String.valueOf(arguments[0]));
            }
        }
    }
}
