package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.task.Execution;
import io.github.wheelscheduler.durable.Claim.RowKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Has db-scheduler claim rows before they are due, and only those that this node has a handler for. */
final class ClaimAhead extends DefaultJdbcCustomization {

    private final Dialect dialect;
    private final Duration ahead;
    private final Handlers handlers;
    private final PassedOver passedOver;
    private final LongSupplier nanoClock;

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;

    ClaimAhead(
            DataSource dataSource,
            Dialect dialect,
            Duration ahead,
            Handlers handlers,
            PassedOver passedOver,
            LongSupplier nanoClock) {
        super(false);
        this.jdbc = new JdbcTemplate(dataSource);
        this.transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.dialect = dialect;
        this.ahead = ahead;
        this.handlers = handlers;
        this.passedOver = passedOver;
        this.nanoClock = nanoClock;
    }

    @Override
    public String getName() {
        return dialect.name();
    }

    @Override
    public boolean supportsSingleStatementLockAndFetch() {
        return true;
    }

    /** The database's clock says what is due, and not that of db-scheduler. */
    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext context, Instant now, int limit, boolean byPriority) {
        long nowNanos = nanoClock.getAsLong();
        List<String> names = new ArrayList<>(handlers.names());
        boolean ignored = names.removeAll(passedOver.handlers(nowNanos));
        if (names.isEmpty()) {
            return List.of();
        }
        List<RowKey> skipped = passedOver.rows(nowNanos);
        return dialect.claimsInTwoSteps()
                ? claimInTwoSteps(context, limit, names, skipped)
                : claim(context, limit, names, skipped);
    }

    private List<Execution> claim(
            JdbcTaskRepositoryContext context, int limit, List<String> names, List<RowKey> skipped) {
        return context.jdbcRunner.query(
                Dialect.claim(context.tableName, names.size(), skipped.size(), limit),
                statement -> {
                    int index = setConditions(statement, names, skipped);
                    statement.setString(index, context.schedulerName.getName());
                },
                context.resultSetMapper.get());
    }

    /** Without locks on what is between the rows, so that two nodes that claim do not wait for each other in a circle. */
    private List<Execution> claimInTwoSteps(
            JdbcTaskRepositoryContext context, int limit, List<String> names, List<RowKey> skipped) {
        String node = context.schedulerName.getName();
        List<Execution> claimed = transaction.execute(status -> {
            List<Execution> due = Objects.requireNonNull(jdbc.query(
                    dialect.lockDue(context.tableName, names.size(), skipped.size(), limit),
                    statement -> {
                        int ignored = setConditions(statement, names, skipped);
                    },
                    (ResultSetExtractor<List<Execution>>) context.resultSetMapper.get()::map));
            if (due.isEmpty()) {
                return due;
            }
            int[][] unused = jdbc.batchUpdate(dialect.pick(context.tableName), due, limit, (statement, row) -> {
                statement.setString(1, node);
                statement.setString(2, row.getTaskName());
                statement.setString(3, row.getId());
            });
            return due.stream()
                    .map(row -> row.updateToPicked(node, row.lastHeartbeat))
                    .toList();
        });
        return Objects.requireNonNull(claimed);
    }

    private int setConditions(PreparedStatement statement, List<String> names, List<RowKey> skipped)
            throws SQLException {
        int index = 1;
        statement.setLong(index++, ahead.toMillis());
        for (String name : names) {
            statement.setString(index++, name);
        }
        for (RowKey row : skipped) {
            statement.setString(index++, row.handler());
            statement.setString(index++, row.id());
        }
        return index;
    }

    @Override
    public void setInstant(PreparedStatement statement, int index, @Nullable Instant value) throws SQLException {
        statement.setObject(index, value == null ? null : dialect.time(value));
    }

    @Override
    public @Nullable Instant getInstant(ResultSet row, String column) throws SQLException {
        return dialect.instant(row, column);
    }
}
