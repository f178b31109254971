package io.github.wheelscheduler.autoconfigure.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** Whether a database is part of this process, and what is left of it afterwards. */
public enum EmbeddedDatabase {
    IN_MEMORY("in memory: other nodes do not see these tasks, and they are lost when this process ends"),
    IN_FILE("in a file: these tasks survive the end of this process, but other nodes do not see them");

    private static final String H2 = "jdbc:h2:";
    private static final Set<String> SERVERS = Set.of("tcp", "ssl");
    private static final Set<String> MEMORIES = Set.of("mem", "memfs", "memlzf", "niomemfs", "niomemlzf");

    private final String consequence;

    EmbeddedDatabase(String consequence) {
        this.consequence = consequence;
    }

    /** Returns what is to be known where durable tasks are in such a database. */
    public String warning() {
        return "Durable tasks are in an embedded database " + consequence
                + ". For tasks of several nodes, set the DataSource to a PostgreSQL that all of them reach.";
    }

    /** Returns which kind, or null if it is a server's, or does not answer. */
    public static @Nullable EmbeddedDatabase of(DataSource dataSource) {
        try {
            return ofUrl(String.valueOf(
                    new JdbcTemplate(dataSource).execute((ConnectionCallback<String>) EmbeddedDatabase::urlOf)));
        } catch (DataAccessException ex) {
            return null;
        }
    }

    private static String urlOf(Connection connection) throws SQLException {
        return String.valueOf(connection.getMetaData().getURL());
    }

    static @Nullable EmbeddedDatabase ofUrl(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        if (!lower.startsWith(H2)) {
            return null;
        }
        int end = lower.indexOf(':', H2.length());
        String kind = end < 0 ? "" : lower.substring(H2.length(), end);
        if (SERVERS.contains(kind)) {
            return null;
        }
        return MEMORIES.contains(kind) ? IN_MEMORY : IN_FILE;
    }
}
