package io.github.wheelscheduler.durable;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What a database has done so far, by its own statistics, which are up to a second old for connections that are busy and up to ten for others; or, between two of them, in that time.
 *
 * @param walBytes of the whole server
 * @param pages in them as a whole, of the whole server
 * @param versions of rows that updates and deletes have left to be vacuumed
 * @param hot how many of them wrote nothing into an index
 * @param statements that name one of the tables, but for those that count
 * @param commits also of what only reads
 * @param writes transactions that have written
 */
record MeasuredCost(
        double walBytes, double pages, double versions, double hot, double statements, double commits, double writes) {

    /** The titles of {@link #cells}. */
    static final List<String> HEAD = List.of(
            "WAL bytes a task",
            "whole pages",
            "dead row versions",
            "of them HOT",
            "statements",
            "transactions",
            "of them wrote");

    private static final String QUERY = """
            select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') wal, (select wal_fpi from pg_stat_wal) pages,
              (select coalesce(sum(n_tup_upd + n_tup_del), 0) from pg_stat_user_tables) versions,
              (select coalesce(sum(n_tup_hot_upd), 0) from pg_stat_user_tables) hot,
              (select coalesce(sum(calls), 0) from pg_stat_statements s join pg_database d on d.oid = s.dbid
                where d.datname = current_database() and query ~ 'wheel_durable_task|scheduled_tasks'
                and query not like '%count(*)%') statements,
              (select xact_commit from pg_stat_database where datname = current_database()) commits,
              pg_snapshot_xmax(pg_current_snapshot())::text::bigint writes
            """;

    static MeasuredCost of(JdbcTemplate jdbc) {
        Map<String, Object> row = jdbc.queryForMap(QUERY);
        return new MeasuredCost(
                number(row, "wal"),
                number(row, "pages"),
                number(row, "versions"),
                number(row, "hot"),
                number(row, "statements"),
                number(row, "commits"),
                number(row, "writes"));
    }

    private static double number(Map<String, Object> row, String column) {
        return ((Number) row.get(column)).doubleValue();
    }

    MeasuredCost since(MeasuredCost before) {
        return new MeasuredCost(
                walBytes - before.walBytes,
                pages - before.pages,
                versions - before.versions,
                hot - before.hot,
                statements - before.statements,
                commits - before.commits,
                writes - before.writes);
    }

    /** Returns what each of so many tasks has cost. */
    List<String> cells(long tasks) {
        return List.of(
                tasks == 0 ? "-" : String.format(Locale.ROOT, "%,.0f", walBytes / tasks),
                each(pages, tasks),
                each(versions, tasks),
                each(hot, tasks),
                each(statements, tasks),
                each(commits, tasks),
                each(writes, tasks));
    }

    private static String each(double number, long tasks) {
        return tasks == 0 ? "-" : String.format(Locale.ROOT, "%.3f", number / tasks);
    }
}
