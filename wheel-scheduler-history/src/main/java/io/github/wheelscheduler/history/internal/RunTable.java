package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;

/** Inserts rows, texts of failures, counts and entries of the audit. One thread at a time. */
final class RunTable {

    /** Rows that are older when they are written may be in an hour that has been added up: its lock tells. */
    static final Duration IN_TIME = Duration.ofMinutes(4);

    /** The maximum number of kinds of failures for which a task has a text on a day. */
    static final int MOST_KINDS = 1_000;

    /** Tasks whose kinds are known; beyond it, they are looked up again. */
    private static final int MOST_TASKS = 10_000;

    static final int MOST_NAME = 250;
    private static final int MOST_DETAIL = 50;
    private static final int MOST_TRACE_ID = 64;
    private static final int MOST_STATE = 500;
    private static final long SECONDS_PER_HOUR = 3_600;

    /** The columns of a row. */
    static final String COLUMNS =
            "noted_at, task, instance, scheduler, node, due, started, micros, outcome, runs, attempt, cause, by_whom,"
                    + " detail, trace_id, failure, message, kind";

    /** Their types in PostgreSQL. */
    static final List<String> TYPES = List.of(
            "timestamptz",
            "varchar",
            "varchar",
            "varchar",
            "varchar",
            "timestamptz",
            "timestamptz",
            "bigint",
            "smallint",
            "bigint",
            "int",
            "smallint",
            "varchar",
            "varchar",
            "varchar",
            "varchar",
            "varchar",
            "varchar");

    private static final String FOLDED = "select number from {state} where name = 'folded' for update";

    private final HistorySettings settings;

    /** That of the node. */
    private final Supplier<Instant> clock;

    /** The kinds of each task that have a text today. */
    private final Map<String, Set<String>> kinds = new HashMap<>();

    private LocalDate today = LocalDate.EPOCH;

    RunTable(HistorySettings settings, Supplier<Instant> clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** A row, and the hash of the failure's text. */
    private record Row(NotedRun run, Instant at, @Nullable String kind) {

        long hour() {
            return Math.floorDiv(at.getEpochSecond(), SECONDS_PER_HOUR);
        }
    }

    /** Writes rows in one transaction, and texts of failures before, each in one of its own. */
    void insert(HistorySql sql, List<NotedRun> runs) {
        boolean haveTexts = runs.stream().anyMatch(run -> run.thrown() != null || run.text() != null);
        LocalDate day = haveTexts ? LocalDate.ofInstant(sql.now(), ZoneOffset.UTC) : today;
        List<@Nullable String> kinds = new ArrayList<>();
        runs.forEach(run -> kinds.add(kindOf(sql, run, day)));
        if (runs.stream().allMatch(NotedRun::hasRow)) {
            return;
        }
        boolean ignored = sql.inTransaction(() -> {
            // The texts may have taken long.
            Instant nodeNow = clock.get();
            Instant now = sql.now();
            List<Row> rows = rows(runs, kinds, now, ahead(nodeNow, now));
            if (rows.stream().anyMatch(row -> row.at.isBefore(now.minus(IN_TIME)))) {
                countLate(sql, rows, folded(sql));
            }
            insertRows(sql, rows);
            return true;
        });
    }

    /** Returns how far the node's clock is ahead of the database's; zero if it is not. */
    private static Duration ahead(Instant nodeNow, Instant now) {
        return nodeNow.isAfter(now) ? Duration.between(now, nodeNow) : Duration.ZERO;
    }

    /**
     * Times of a node whose clock is ahead become those of the database's clock, and keep their order. None is later
     * than now, as the node's clock may have been set since.
     */
    private static List<Row> rows(List<NotedRun> runs, List<@Nullable String> kinds, Instant now, Duration ahead) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            NotedRun run = runs.get(i);
            if (!run.hasRow()) {
                Instant at = run.at().minus(ahead);
                rows.add(new Row(run, at.isAfter(now) ? now : at, kinds.get(i)));
            }
        }
        return rows;
    }

    private void insertRows(HistorySql sql, List<Row> rows) {
        int ignored = sql.updateEach(
                "insert into {run} (" + COLUMNS + ") values (" + DatabaseKind.placeholders(TYPES.size()) + ")",
                rows.stream()
                        .map(row -> sql.parameters(values(settings, row.run, row.at, row.kind)))
                        .toList());
    }

    /** Returns what is in the columns of a row, in which times are instants. */
    static Object[] values(HistorySettings settings, NotedRun run, Instant at, @Nullable String kind) {
        return new Object[] {
            at,
            cut(run.task(), MOST_NAME),
            cut(run.instance(), MOST_NAME),
            cut(run.scheduler(), MOST_NAME),
            settings.node(),
            run.due(),
            run.started(),
            run.micros() == NotedRun.NO_RUN ? null : run.micros(),
            run.outcome().code(),
            run.runs(),
            run.attempt(),
            run.cause().code(),
            cut(run.by(), MOST_NAME),
            cut(run.detail(), MOST_DETAIL),
            cut(run.traceId(), MOST_TRACE_ID),
            run.type() == null ? null : cut(FailureText.normalized(run.type()), MOST_NAME),
            run.type() == null ? null : cut(run.message(), settings.messageLength()),
            kind
        };
    }

    /** PostgreSQL takes no character 0. */
    static @Nullable String cut(@Nullable String text, int most) {
        if (text == null) {
            return null;
        }
        String clean = text.indexOf('\0') < 0 ? text : text.replace("\0", "");
        if (clean.length() <= most) {
            return clean;
        }
        boolean splits = most > 0 && Character.isHighSurrogate(clean.charAt(most - 1));
        return clean.substring(0, splits ? most - 1 : most);
    }

    /** Returns the first hour that has not been added up, and keeps it so until the transaction ends. */
    static long folded(HistorySql sql) {
        return Objects.requireNonNull(sql.first(FOLDED, (row, number) -> row.getLong(1))) / SECONDS_PER_HOUR;
    }

    /** Rows of hours that have been added up count once more, as runs without a row. */
    private void countLate(HistorySql sql, List<Row> rows, long folded) {
        List<RunTotals> late = new ArrayList<>();
        List<Object[]> failures = new ArrayList<>();
        for (Row row : rows) {
            if (row.hour() < folded) {
                long atMicros = Duration.between(Instant.EPOCH, row.at).toNanos() / 1_000;
                late.add(RunTotals.of(row.run.task(), row.run.outcome(), row.run.runs(), row.run.micros(), atMicros));
                if (row.kind != null) {
                    failures.add(new Object[] {
                        sql.time(HistoryFolding.start(row.hour())),
                        cut(row.run.task(), MOST_NAME),
                        row.kind,
                        cut(FailureText.normalized(Objects.requireNonNull(row.run.type())), MOST_NAME),
                        1,
                        sql.time(row.at),
                        sql.time(row.at)
                    });
                }
            }
        }
        insertCounts(sql, late);
        int ignored = sql.updateEach(
                "insert into {kind} (starts_at, task, kind, failure, rows_written, earliest, latest)"
                        + " values (?, ?, ?, ?, ?, ?, ?)",
                failures);
    }

    /** Writes counts of runs without a row. Their hour may have been added up. */
    void insertTotals(HistorySql sql, List<RunTotals> totals) {
        boolean ignored = sql.inTransaction(() -> {
            long unused = folded(sql);
            Instant nodeNow = clock.get();
            Instant now = sql.now();
            long nowMicros = NotedRun.micros(now);
            long aheadMicros = NotedRun.micros(ahead(nodeNow, now));
            insertCounts(
                    sql,
                    totals.stream()
                            .map(each -> each.onClock(aheadMicros, nowMicros))
                            .toList());
            return true;
        });
    }

    private void insertCounts(HistorySql sql, List<RunTotals> totals) {
        List<Object[]> parameters = new ArrayList<>();
        for (RunTotals each : totals) {
            parameters.add(new Object[] {
                sql.time(HistoryFolding.start(each.hour())),
                cut(each.task(), MOST_NAME),
                settings.node(),
                each.outcome().code(),
                each.runs(),
                each.micros(),
                each.longest(),
                sql.time(HistoryFolding.instant(each.earliest())),
                sql.time(HistoryFolding.instant(each.latest()))
            });
        }
        int ignored = sql.updateEach(
                "insert into {count} (starts_at, task, node, outcome, runs, micros, longest, earliest, latest)"
                        + " values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                parameters);
    }

    /** Returns the hash of a failure's text; null without one. It writes that text, unless the task has too many. */
    private @Nullable String kindOf(HistorySql sql, NotedRun run, LocalDate day) {
        FailureText text = run.textOfFailure();
        if (text == null) {
            return null;
        }
        if (!day.equals(today) || kinds.size() >= MOST_TASKS) {
            today = day;
            kinds.clear();
        }
        Set<String> known = kinds.computeIfAbsent(run.task(), task -> new HashSet<>());
        if (!text.text().isEmpty() && !known.contains(text.kind()) && known.size() < MOST_KINDS) {
            insertText(sql, run, text, day);
            known.add(text.kind());
        }
        return text.kind();
    }

    private static void insertText(HistorySql sql, NotedRun run, FailureText text, LocalDate day) {
        String task = cut(run.task(), MOST_NAME);
        if (sql.finds("select 1 from {text} where task = ? and on_day = ? and kind = ?", task, day, text.kind())) {
            return;
        }
        try {
            int ignored = sql.update(
                    "insert into {text} (task, on_day, kind, failure, text) values (?, ?, ?, ?, ?)",
                    task,
                    day,
                    text.kind(),
                    cut(FailureText.normalized(String.valueOf(run.type())), MOST_NAME),
                    text.text());
        } catch (DataIntegrityViolationException ex) {
            // Another node was faster.
            HistoryStore.LOGGER.debug("The stack trace of this failure is stored already; nothing is lost", ex);
        }
    }

    /** Writes entries of the audit. */
    void insertAudit(HistorySql sql, List<AuditEntry> entries) {
        List<Object[]> parameters = new ArrayList<>();
        for (AuditEntry entry : entries) {
            parameters.add(new Object[] {
                sql.time(entry.at()),
                cut(entry.node(), MOST_DETAIL),
                cut(entry.scheduler(), MOST_NAME),
                cut(entry.task(), MOST_NAME),
                cut(entry.instance(), MOST_NAME),
                cut(entry.action(), MOST_DETAIL),
                cut(entry.channel(), MOST_DETAIL),
                cut(entry.who(), MOST_NAME),
                cut(entry.from(), MOST_STATE),
                cut(entry.to(), MOST_STATE),
                cut(entry.reason(), MOST_STATE),
                cut(entry.refusal(), MOST_STATE)
            });
        }
        int ignored = sql.updateEachOf(
                        "insert into {audit} (noted_at, node, scheduler, task, instance, action, channel, who, "
                                + "from_state,"
                                + " to_state, reason, refusal) values (least("
                                + sql.kind().time() + ", {now}), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        parameters)
                .length;
    }
}
