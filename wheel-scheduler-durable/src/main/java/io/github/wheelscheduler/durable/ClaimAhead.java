package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.jdbc.JdbcTaskRepositoryContext;
import com.github.kagkarlsson.scheduler.task.Execution;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Has db-scheduler claim rows before they are due, and only those that this node has a handler for.
 */
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

    @Override
    public List<Execution> lockAndFetchSingleStatement(
            JdbcTaskRepositoryContext context, Instant now, int limit, boolean byPriority) {
        List<String> names = handlers.names();
        List<RowKey> skipped = passedOver.rows(nanoClock.getAsLong());
        return context.jdbcRunner.query(
                dialect.claim(context.tableName, names.size(), skipped.size(), limit),
                statement -> {
                    int index = 1;
                    if (dialect.asksBeforeItSets()) {
                        index = setConditions(statement, index, now, names, skipped);
                    }
                    statement.setString(index++, context.schedulerName.getName());
                    setInstant(statement, index++, now);
                    if (!dialect.asksBeforeItSets()) {
                        int ignored = setConditions(statement, index, now, names, skipped);
                    }
                },
                context.resultSetMapper.get());
    }

    private int setConditions(
            PreparedStatement statement, int firstIndex, Instant now, List<String> names, List<RowKey> skipped)
            throws SQLException {
        int index = firstIndex;
        setInstant(statement, index++, now.plus(ahead));
        for (String name : names) {
            statement.setString(index++, name);
        }
        for (RowKey row : skipped) {
            statement.setString(index++, row.handler());
            statement.setString(index++, row.id());
        }
        return index;
    }
}
