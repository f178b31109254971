package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.task.Execution;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Has db-scheduler claim rows before they are due, and only those that this node has a handler for. */
final class ClaimAhead extends DefaultJdbcCustomization {

    private final Dialect dialect;
    private final Duration ahead;
    private final Handlers handlers;
    private final PassedOver passedOver;
    private final LongSupplier nanoClock;

    ClaimAhead(Dialect dialect, Duration ahead, Handlers handlers, PassedOver passedOver, LongSupplier nanoClock) {
        super(false);
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
        return context.jdbcRunner.query(
                dialect.claim(context.tableName, names.size(), skipped.size(), limit),
                statement -> {
                    int index = 1;
                    if (dialect.asksBeforeItSets()) {
                        index = setConditions(statement, index, names, skipped);
                    }
                    statement.setString(index++, context.schedulerName.getName());
                    if (!dialect.asksBeforeItSets()) {
                        int unused = setConditions(statement, index, names, skipped);
                    }
                },
                context.resultSetMapper.get());
    }

    private int setConditions(PreparedStatement statement, int firstIndex, List<String> names, List<RowKey> skipped)
            throws SQLException {
        int index = firstIndex;
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
        statement.setObject(index, value == null ? null : value.atOffset(ZoneOffset.UTC));
    }

    @Override
    public @Nullable Instant getInstant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
