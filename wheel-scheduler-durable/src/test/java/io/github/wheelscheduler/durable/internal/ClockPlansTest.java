package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** A statement with a literal of virtual time has the plan of the one that asks the database's clock. */
class ClockPlansTest {

    private static final int ROWS = 20_000;
    private static final Pattern SCAN = Pattern.compile("/\\* (PUBLIC\\.[^*]*?)\\s*\\*/");

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
    void literalUsesTheIndexOfTheClock(TestDatabase database) throws SQLException {
        Dialect dialect = Dialect.valueOf(database.name());
        String literal = dialect.literal(Instant.now());
        try (HikariDataSource dataSource = database.newDataSource();
                Node node = new Node("a", dataSource)) {
            Tables tables = node.engine.database.tables();
            fill(tables.sql(), new JdbcTemplate(dataSource), dialect);
            List<String> different = new ArrayList<>();
            int compared = 0;
            // PostgreSQL explains a statement for any values only where the driver sends none.
            try (Connection connection = dialect == Dialect.POSTGRESQL
                    ? DriverManager.getConnection(dataSource.getJdbcUrl() + "&preferQueryMode=simple")
                    : dataSource.getConnection()) {
                for (String production : StatementTextTest.texts(dialect, null)) {
                    if (production.contains(dialect.now())
                            && production.contains("wheel_durable_task")
                            && !production.startsWith("insert")) {
                        String virtual = production.replace(dialect.now(), literal);
                        List<String> plan = plan(connection, dialect, production);
                        assertThat(plan).as(production).isNotEmpty();
                        if (!plan.equals(plan(connection, dialect, virtual))) {
                            different.add(production + ": " + plan + " is not " + plan(connection, dialect, virtual));
                        }
                        compared++;
                    }
                }
            }
            assertThat(different).isEmpty();
            assertThat(compared).isGreaterThan(10);
        }
    }

    private static void fill(Sql sql, JdbcTemplate jdbc, Dialect dialect) {
        String later = switch (dialect) {
            case H2 -> "dateadd(second, n, {now})";
            case POSTGRESQL -> "{now} + n * interval '1 second'";
            case MARIADB -> "{now} + interval n second";
        };
        String numbers = switch (dialect) {
            case H2 -> "(select x as n from system_range(1, " + ROWS + ")) n";
            case POSTGRESQL -> "generate_series(1, " + ROWS + ") n";
            case MARIADB -> "(select seq as n from seq_1_to_" + ROWS + ") n";
        };
        int ignored = jdbc.update(
                sql.text("insert into {task} (task_name, task_instance, execution_time, state, last_failure, known_at)"
                        + " select concat('handler', n % 5), concat('id-', n), " + later
                        + ", case when n % 10 = 0 then 2 else 0 end, {now}, {now} from " + numbers));
        jdbc.execute(
                switch (dialect) {
                    case H2 -> "analyze";
                    case POSTGRESQL -> "analyze wheel_durable_task";
                    case MARIADB -> "analyze table wheel_durable_task";
                });
    }

    /** Returns the plan without what is compared. */
    private static List<String> plan(Connection connection, Dialect dialect, String statement) throws SQLException {
        return switch (dialect) {
            case H2 -> scans(connection, statement);
            case POSTGRESQL -> planned(connection, statement);
            case MARIADB -> explained(connection, statement);
        };
    }

    /** H2 writes the indexes and their conditions into the statement, as comments. */
    private static List<String> scans(Connection connection, String statement) throws SQLException {
        List<String> scans = new ArrayList<>();
        try (PreparedStatement explain = connection.prepareStatement("explain " + statement)) {
            for (int i = 1; i <= statement.chars().filter(c -> c == '?').count(); i++) {
                explain.setObject(i, null);
            }
            try (ResultSet rows = explain.executeQuery()) {
                while (rows.next()) {
                    Matcher scan = SCAN.matcher(rows.getString(1));
                    while (scan.find()) {
                        String text = scan.group(1)
                                .replaceAll("CURRENT_TIMESTAMP(\\(\\d\\))?|TIMESTAMP WITH TIME ZONE '[^']*'", "now");
                        // It orders conditions anew each time.
                        scans.add(Stream.of(text.split(":\\s+|\\s+AND\\s+"))
                                .sorted()
                                .toList()
                                .toString());
                    }
                }
            }
        }
        return scans;
    }

    /** For any values of the parameters. */
    private static List<String> planned(Connection connection, String statement) throws SQLException {
        StringBuilder numbered = new StringBuilder("explain (generic_plan, costs off) ");
        int number = 0;
        for (int i = 0; i < statement.length(); i++) {
            char c = statement.charAt(i);
            numbered.append(c == '?' ? "$" + ++number : String.valueOf(c));
        }
        List<String> lines = new ArrayList<>();
        try (Statement explain = connection.createStatement();
                ResultSet rows = explain.executeQuery(numbered.toString())) {
            while (rows.next()) {
                String line = rows.getString(1).strip();
                if (line.contains("Scan") || line.startsWith("->") || line.startsWith("Index Cond")) {
                    lines.add(line.replaceAll("clock_timestamp\\(\\)|'[^']*'::timestamp with time zone", "now"));
                }
            }
        }
        return lines;
    }

    private static List<String> explained(Connection connection, String statement) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (PreparedStatement explain = connection.prepareStatement("explain " + statement)) {
            for (int i = 1; i <= statement.chars().filter(c -> c == '?').count(); i++) {
                explain.setString(i, "1");
            }
            try (ResultSet rows = explain.executeQuery()) {
                while (rows.next()) {
                    lines.add(rows.getString("table") + " " + rows.getString("type") + " " + rows.getString("key") + " "
                            + rows.getString("ref"));
                }
            }
        }
        return lines;
    }
}
