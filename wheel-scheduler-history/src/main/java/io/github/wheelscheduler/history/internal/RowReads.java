package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.AuditPage;
import io.github.wheelscheduler.history.AuditQuery;
import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryPage;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads pages of rows and of the audit, the newest first. Any thread. */
public final class RowReads {

    private static final int BLOCK = 1_000;

    private final HistoryStore store;

    public RowReads(HistoryStore store) {
        this.store = store;
    }

    /** A place between rows: behind the row of that time and id. */
    private record Cursor(Instant at, long id) {

        /** No database knows a later time, in microseconds. */
        private static final long LAST = NotedRun.micros(Instant.parse("9999-12-31T00:00:00Z"));

        static @Nullable Cursor parse(@Nullable String text) {
            if (text == null) {
                return null;
            }
            try {
                int split = text.indexOf('_');
                long micros = Long.parseLong(text.substring(0, Math.max(0, split)));
                Instant at = HistoryFolding.instant(Objects.checkIndex(micros, LAST));
                return new Cursor(at, Long.parseLong(text.substring(split + 1)));
            } catch (RuntimeException ex) {
                throw new IllegalArgumentException("The cursor must be that of a page, was " + text, ex);
            }
        }

        String text() {
            return ChronoUnit.MICROS.between(Instant.EPOCH, at) + "_" + id;
        }
    }

    /** A condition and its parameters. */
    private static final class Condition {

        private final StringBuilder text = new StringBuilder(" where 1 = 1");
        private final List<Object> parameters = new ArrayList<>();

        Condition and(String condition, @Nullable Object parameter) {
            if (parameter != null) {
                text.append(" and ").append(condition);
                boolean ignored = parameters.add(parameter);
            }
            return this;
        }

        Condition before(HistorySql sql, @Nullable Cursor cursor) {
            if (cursor != null) {
                Object at = sql.time(cursor.at);
                text.append(" and noted_at <= ? and (noted_at < ? or id < ?)");
                boolean ignored = parameters.addAll(List.of(at, at, cursor.id));
            }
            return this;
        }

        Condition in(String column, List<Integer> values) {
            if (!values.isEmpty()) {
                text.append(" and ")
                        .append(column)
                        .append(" in (")
                        .append(DatabaseKind.placeholders(values.size()))
                        .append(')');
                boolean ignored = parameters.addAll(values);
            }
            return this;
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }

    private static @Nullable Object time(HistorySql sql, @Nullable Instant instant) {
        return instant == null ? null : sql.time(instant);
    }

    /** Returns a page. Rows are read in blocks, of which a search for a node or a text drops some. */
    public HistoryPage page(HistoryQuery query) {
        HistorySql sql = store.sql();
        boolean isSearch = query.node() != null || query.text() != null;
        List<HistoryRow> rows = new ArrayList<>();
        Cursor cursor = Cursor.parse(query.before());
        RowWindows windows = windows(sql, query, cursor);
        int read = 0;
        while (true) {
            int size = isSearch ? Math.min(BLOCK, HistoryPage.MOST_READ - read) : query.limit() + 1;
            List<HistoryRow> block = read(sql, query, windows, cursor, size);
            for (HistoryRow row : block) {
                if (rows.size() == query.limit()) {
                    return new HistoryPage(rows, Objects.requireNonNull(cursor).text(), read, null);
                }
                read++;
                cursor = new Cursor(row.at(), row.id());
                if (matches(query, row)) {
                    rows.add(row);
                }
            }
            if (block.size() < size) {
                return new HistoryPage(rows, null, read, null);
            }
            if (read >= HistoryPage.MOST_READ) {
                Cursor last = Objects.requireNonNull(cursor);
                return new HistoryPage(rows, last.text(), read, last.at);
            }
        }
    }

    /** PostgreSQL finds the newest rows of a task, not those of all. */
    private RowWindows windows(HistorySql sql, HistoryQuery query, @Nullable Cursor cursor) {
        if (query.task() != null || sql.kind() != DatabaseKind.POSTGRESQL) {
            return RowWindows.all(query.from(), query.to());
        }
        Instant newest = cursor == null ? sql.now() : cursor.at;
        Instant to = query.to();
        return RowWindows.doubling(
                query.from(),
                to,
                to == null || to.isAfter(newest) ? newest : to,
                store.settings().keepRows());
    }

    /** Reads from this range on; fewer rows than asked for are the rest. */
    private static List<HistoryRow> read(
            HistorySql sql, HistoryQuery query, RowWindows windows, @Nullable Cursor cursor, int size) {
        List<HistoryRow> rows = new ArrayList<>(read(sql, query, windows.begin(), windows.end(), cursor, size));
        while (rows.size() < size && windows.next()) {
            rows.addAll(read(sql, query, windows.begin(), windows.end(), cursor, size - rows.size()));
        }
        return rows;
    }

    private static boolean matches(HistoryQuery query, HistoryRow row) {
        if (query.node() != null && !query.node().equals(row.node())) {
            return false;
        }
        if (query.text() == null) {
            return true;
        }
        HistoryRow.Failure failure = row.failure();
        return failure != null
                && (failure.type() + ": " + failure.message())
                        .toLowerCase(Locale.ROOT)
                        .contains(query.text().toLowerCase(Locale.ROOT));
    }

    private static List<HistoryRow> read(
            HistorySql sql,
            HistoryQuery query,
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable Cursor cursor,
            int size) {
        Condition condition = new Condition()
                .and("task = ?", query.task())
                .and("instance = ?", query.instance())
                .and("noted_at >= ?", time(sql, from))
                .and("noted_at < ?", time(sql, to))
                .in(
                        "outcome",
                        query.outcomes().stream()
                                .map(HistoryOutcome::code)
                                .sorted()
                                .toList())
                .and("cause = ?", query.cause() == null ? null : query.cause().code())
                .before(sql, cursor);
        return sql.ask(
                "select id, noted_at, task, instance, scheduler, node, due, started, micros, outcome, runs, attempt,"
                        + " cause, by_whom, detail, trace_id, failure, message, kind from {run}" + condition
                        + " order by noted_at desc, id desc limit " + size,
                (row, number) -> row(sql, row),
                condition.parameters.toArray());
    }

    private static HistoryRow row(HistorySql sql, ResultSet row) throws SQLException {
        long micros = row.getLong("micros");
        boolean ran = !row.wasNull();
        String type = row.getString("failure");
        return new HistoryRow(
                row.getLong("id"),
                sql.time(row, "noted_at"),
                row.getString("task"),
                row.getString("instance"),
                row.getString("scheduler"),
                row.getString("node"),
                sql.kind().instant(row, "due"),
                sql.kind().instant(row, "started"),
                ran ? Duration.of(micros, ChronoUnit.MICROS) : null,
                HistoryOutcome.of(row.getInt("outcome")),
                row.getLong("runs"),
                row.getInt("attempt"),
                HistoryCause.of(row.getInt("cause")),
                row.getString("by_whom"),
                row.getString("detail"),
                row.getString("trace_id"),
                type == null
                        ? null
                        : new HistoryRow.Failure(
                                type, Objects.requireNonNullElse(row.getString("message"), ""), row.getString("kind")));
    }

    /** Returns a page of the audit. */
    public AuditPage audit(AuditQuery query) {
        HistorySql sql = store.sql();
        Condition condition = new Condition()
                .and("task = ?", query.task())
                .and("who = ?", query.who())
                .and("noted_at >= ?", time(sql, query.from()))
                .and("noted_at < ?", time(sql, query.to()))
                .before(sql, Cursor.parse(query.before()));
        List<Cursor> places = new ArrayList<>();
        List<AuditEntry> found = sql.ask(
                "select id, noted_at, node, scheduler, task, instance, action, channel, who, from_state, to_state,"
                        + " reason, refusal from {audit}" + condition + " order by noted_at desc, id desc limit "
                        + (query.limit() + 1),
                (row, number) -> {
                    places.add(new Cursor(sql.time(row, "noted_at"), row.getLong("id")));
                    return entry(sql, row);
                },
                condition.parameters.toArray());
        boolean hasMore = found.size() > query.limit();
        return new AuditPage(
                hasMore ? List.copyOf(found.subList(0, query.limit())) : found,
                hasMore ? places.get(query.limit() - 1).text() : null);
    }

    private static AuditEntry entry(HistorySql sql, ResultSet row) throws SQLException {
        return new AuditEntry(
                sql.time(row, "noted_at"),
                row.getString("node"),
                row.getString("scheduler"),
                row.getString("task"),
                row.getString("instance"),
                row.getString("action"),
                row.getString("channel"),
                row.getString("who"),
                row.getString("from_state"),
                row.getString("to_state"),
                row.getString("reason"),
                row.getString("refusal"));
    }
}
