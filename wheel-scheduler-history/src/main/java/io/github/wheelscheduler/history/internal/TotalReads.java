package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.FailureKind;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryOutcome.Kind;
import io.github.wheelscheduler.history.HourSum;
import io.github.wheelscheduler.history.HourTotal;
import io.github.wheelscheduler.history.TaskSummary;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads totals: of hours that have been added up, of counts, and of the rows behind these hours. Any thread. */
public final class TotalReads {

    private static final String SUMS =
            "sum(runs) as runs, sum(micros) as micros, max(longest) as longest, min(earliest) as earliest, "
                    + "max(latest) as latest";

    private static final String COLUMNS = "runs, micros, longest, earliest, latest";

    private static final String OF_RUNS =
            "runs, coalesce(micros, 0) as micros, coalesce(micros, 0) as longest, noted_at as earliest, noted_at "
                    + "as latest";

    /** Kinds of failures of all tasks in one answer. */
    private static final int MOST_KINDS = 200;

    /** Tasks of one statement. */
    private static final int BLOCK = 500;

    private static final String FAILURES = Arrays.stream(HistoryOutcome.values())
            .filter(outcome -> outcome.kind() == Kind.FAILURE)
            .map(outcome -> String.valueOf(outcome.code()))
            .collect(Collectors.joining(", ", "(", ")"));

    private final HistoryStore store;

    public TotalReads(HistoryStore store) {
        this.store = store;
    }

    /** A statement and its parameters. */
    private static final class Query {
        private final StringBuilder text = new StringBuilder();
        private final List<Object> parameters = new ArrayList<>();

        Query add(String more, Object... values) {
            text.append(more);
            boolean ignored = parameters.addAll(Arrays.asList(values));
            return this;
        }
    }

    private static HourTotal total(HistorySql sql, ResultSet row, boolean hasNode) throws SQLException {
        return new HourTotal(
                sql.time(row, "starts_at"),
                row.getString("task"),
                hasNode ? row.getString("node") : null,
                HistoryOutcome.of(row.getInt("outcome")),
                row.getLong("runs"),
                Duration.of(row.getLong("micros"), ChronoUnit.MICROS),
                Duration.of(row.getLong("longest"), ChronoUnit.MICROS),
                sql.time(row, "earliest"),
                sql.time(row, "latest"));
    }

    /** Returns the totals of hours that begin in a range. */
    public List<HourTotal> hours(@Nullable String task, Instant from, Instant to) {
        HistorySql sql = store.sql();
        Query query = ofHours(sql, "starts_at, task, node, outcome", SUMS, task, from, to);
        return sql.ask(query.text.toString(), (row, number) -> total(sql, row, true), query.parameters.toArray());
    }

    /** Returns the sums of hours that begin in a range, which the database adds up over tasks and nodes. */
    public List<HourSum> sums(@Nullable String task, Instant from, Instant to) {
        HistorySql sql = store.sql();
        Query query = ofHours(sql, "starts_at, outcome", "sum(runs) as runs", task, from, to);
        Map<Instant, HourSum> sums = new TreeMap<>();
        List<HourSum> ignored = sql.ask(
                query.text.toString(),
                (row, number) -> sums.merge(
                        sql.time(row, "starts_at"),
                        sum(sql.time(row, "starts_at"), HistoryOutcome.of(row.getInt("outcome")), row.getLong("runs")),
                        TotalReads::together),
                query.parameters.toArray());
        return List.copyOf(sums.values());
    }

    private static HourSum sum(Instant start, HistoryOutcome outcome, long runs) {
        return switch (outcome.kind()) {
            case SUCCESS -> new HourSum(start, runs, 0, 0);
            case FAILURE -> new HourSum(start, 0, runs, 0);
            case NOT_RUN -> new HourSum(start, 0, 0, runs);
        };
    }

    private static HourSum together(HourSum one, HourSum other) {
        return new HourSum(
                one.start(),
                one.succeeded() + other.succeeded(),
                one.failed() + other.failed(),
                one.notRun() + other.notRun());
    }

    /** Adds hours up by some columns. One statement reads all parts, and so at one moment. */
    private static Query ofHours(
            HistorySql sql, String columns, String sums, @Nullable String task, Instant from, Instant to) {
        String ofTask = task == null ? "" : " and task = ?";
        Query query = new Query().add("select " + columns + ", " + sums + " from (");
        for (String table : List.of("{hour}", "{count}")) {
            query.add(
                            "select starts_at, task, node, outcome, " + COLUMNS + " from " + table
                                    + " where starts_at >= ? and starts_at < ?",
                            sql.time(from),
                            sql.time(to))
                    .add(ofTask, only(task))
                    .add(" union all ");
        }
        return query.add(
                        "select {from_run} as starts_at, task, node, outcome, " + OF_RUNS
                                + " from {run} where noted_at >= {folded} and noted_at >= ? and noted_at < ?",
                        sql.time(end(from)),
                        sql.time(end(to)))
                .add(ofTask, only(task))
                .add(") totals group by " + columns + " order by " + columns);
    }

    /** Returns the first hour that begins at a time or later. */
    private static Instant end(Instant to) {
        Instant hour = to.truncatedTo(ChronoUnit.HOURS);
        return hour.equals(to) ? to : hour.plus(1, ChronoUnit.HOURS);
    }

    private static Object[] only(@Nullable String task) {
        return task == null ? new Object[0] : new Object[] {task};
    }

    /** Returns the totals of days that begin in a range, as far as their hours have been added up. */
    public List<HourTotal> days(@Nullable String task, Instant from, Instant to) {
        HistorySql sql = store.sql();
        Query query = new Query()
                .add(
                        "select starts_at, task, outcome, " + COLUMNS
                                + " from {day} where starts_at >= ? and starts_at < ?",
                        sql.time(from),
                        sql.time(to))
                .add(task == null ? "" : " and task = ?", only(task))
                .add(" order by starts_at, task, outcome");
        return sql.ask(query.text.toString(), (row, number) -> total(sql, row, false), query.parameters.toArray());
    }

    /** Returns what is known of tasks; of a task without any run, nothing is. */
    public Map<String, TaskSummary> summaries(Collection<String> tasks) {
        HistorySql sql = store.sql();
        List<String> all = tasks.stream().distinct().sorted().toList();
        Map<String, TaskSummary> found = new TreeMap<>();
        for (int i = 0; i < all.size(); i += BLOCK) {
            List<String> some = all.subList(i, Math.min(all.size(), i + BLOCK));
            summarize(sql, some, found);
        }
        return found;
    }

    private static void summarize(HistorySql sql, List<String> tasks, Map<String, TaskSummary> found) {
        String ofTasks = " task in (" + DatabaseKind.placeholders(tasks.size()) + ")";
        Object[] names = tasks.toArray();
        Query query = new Query()
                .add("select task, outcome, sum(runs) as runs, max(latest) as latest from (")
                .add("select task, outcome, runs, latest from {hour} where" + ofTasks, names)
                .add(" union all select task, outcome, runs, latest from {count} where" + ofTasks, names)
                .add(" union all select task, outcome, 0 as runs, latest from {day} where" + ofTasks, names)
                .add(" union all select task, outcome, runs, noted_at as latest from {run} where" + ofTasks, names)
                .add(" and noted_at >= {folded}) totals group by task, outcome order by task, outcome");
        Map<String, Summary> open = new TreeMap<>();
        List<Boolean> ignored = sql.ask(
                query.text.toString(),
                (row, number) -> {
                    open.computeIfAbsent(row.getString("task"), name -> new Summary())
                            .add(
                                    HistoryOutcome.of(row.getInt("outcome")).kind(),
                                    row.getLong("runs"),
                                    sql.time(row, "latest"));
                    return true;
                },
                query.parameters.toArray());
        open.forEach((task, summary) -> {
            TaskSummary unused = found.put(
                    task,
                    new TaskSummary(
                            task,
                            summary.lastSuccess,
                            summary.lastFailure,
                            summary.isFailing() ? failingSince(sql, task, summary.lastSuccess) : null,
                            summary.successes,
                            summary.failures,
                            summary.notRun));
        });
    }

    /** The totals of a task so far. */
    private static final class Summary {
        private @Nullable Instant lastSuccess;
        private @Nullable Instant lastFailure;
        private long successes;
        private long failures;
        private long notRun;

        void add(Kind kind, long runs, Instant latest) {
            switch (kind) {
                case SUCCESS -> {
                    successes += runs;
                    lastSuccess = later(lastSuccess, latest);
                }
                case FAILURE -> {
                    failures += runs;
                    lastFailure = later(lastFailure, latest);
                }
                case NOT_RUN -> notRun += runs;
            }
        }

        private static Instant later(@Nullable Instant one, Instant other) {
            return one == null || other.isAfter(one) ? other : one;
        }

        boolean isFailing() {
            return lastFailure != null && (lastSuccess == null || lastFailure.isAfter(lastSuccess));
        }
    }

    /**
     * The first failure after a success of the same node has a row. Where there is none, it is in the first sum whose
     * last failure came after the success: its first failure, or else its last one, is the earliest that is known.
     */
    private static @Nullable Instant failingSince(HistorySql sql, String task, @Nullable Instant lastSuccess) {
        Object after = sql.time(lastSuccess == null ? Instant.EPOCH : lastSuccess);
        String isFailure = " where task = ? and outcome in " + FAILURES + " and ";
        Query query = new Query()
                .add(
                        "select min(earliest) as earliest from (select min(noted_at) as earliest from {run}" + isFailure
                                + "noted_at > ?",
                        task,
                        after);
        for (String table : List.of("{hour}", "{count}", "{day}")) {
            query.add(
                    " union all select min(case when earliest > ? then earliest else latest end) as earliest from "
                            + table + isFailure + "latest > ?",
                    after,
                    task,
                    after);
        }
        List<Optional<Instant>> since = sql.ask(
                query.add(") firsts").text.toString(),
                (row, number) -> Optional.ofNullable(sql.kind().instant(row, "earliest")),
                query.parameters.toArray());
        return since.isEmpty() ? null : since.get(0).orElse(null);
    }

    /** Returns the kinds of failures in a range, the most frequent first; those of all tasks without their texts. */
    public List<FailureKind> failures(@Nullable String task, Instant from, Instant to) {
        HistorySql sql = store.sql();
        String ofTask = task == null ? "" : " and task = ?";
        Query query = new Query()
                .add("select task, kind, min(failure) as failure, sum(rows_written) as rows_written,"
                        + " min(earliest) as earliest, max(latest) as latest from (")
                .add(
                        "select task, kind, failure, rows_written, earliest, latest from {kind}"
                                + " where starts_at >= ? and starts_at < ?",
                        sql.time(from.truncatedTo(ChronoUnit.HOURS)),
                        sql.time(to))
                .add(ofTask, only(task))
                .add(
                        " union all select task, kind, failure, 1 as rows_written, noted_at as earliest,"
                                + " noted_at as latest from {run}"
                                + " where noted_at >= {folded} and noted_at >= ? and noted_at < ?"
                                + " and kind is not null",
                        sql.time(from.truncatedTo(ChronoUnit.HOURS)),
                        sql.time(end(to)))
                .add(ofTask, only(task))
                .add(") kinds group by task, kind order by rows_written desc, task, kind")
                .add(" limit " + MOST_KINDS);
        List<FailureKind> kinds =
                sql.ask(query.text.toString(), (row, number) -> kind(sql, row), query.parameters.toArray());
        return task == null ? kinds : kinds.stream().map(this::withTrace).toList();
    }

    private static FailureKind kind(HistorySql sql, ResultSet row) throws SQLException {
        return new FailureKind(
                row.getString("task"),
                row.getString("kind"),
                row.getString("failure"),
                row.getLong("rows_written"),
                sql.time(row, "earliest"),
                sql.time(row, "latest"),
                null);
    }

    private FailureKind withTrace(FailureKind kind) {
        String trace = trace(kind.task(), kind.kind());
        return new FailureKind(kind.task(), kind.kind(), kind.type(), kind.rows(), kind.first(), kind.last(), trace);
    }

    /** Returns the text of a kind of failures; null if it is not there. */
    public @Nullable String trace(String task, String kind) {
        List<String> newest = store.sql()
                .ask(
                        "select text from {text} where task = ? and kind = ? order by on_day desc limit 1",
                        (row, number) -> row.getString(1),
                        task,
                        kind);
        return newest.isEmpty() ? null : newest.get(0);
    }

    /** Returns what is known of a task. */
    public TaskSummary summary(String task) {
        TaskSummary none = new TaskSummary(task, null, null, null, 0, 0, 0);
        return summaries(Collections.singleton(task)).getOrDefault(task, none);
    }
}
