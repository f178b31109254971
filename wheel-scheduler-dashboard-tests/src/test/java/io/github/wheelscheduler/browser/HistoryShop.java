package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration;
import io.github.wheelscheduler.spring.WheelTask;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An application whose history has runs of last night, and whose tasks rest until they are triggered. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = DurableAutoConfiguration.class)
@EnableScheduling
public class HistoryShop {

    static final String SYNC = "warehouse.sync";
    static final String RATES = "rates.refresh";
    static final String NIGHTLY = "reports.nightly";
    static final String BACKUP = "backup";
    static final String YEARLY = "archive.yearly";
    static final String STOCK = "stock.count";
    static final String PRICES = "prices.recalculate";

    /** More than a search reads for one page. */
    private static final int MANY = 10_100;

    /** More than are shown. */
    private static final int KINDS = 30;

    /** More than a page. */
    static final int RUNS_OF_THE_NIGHT = 60;

    @WheelTask(SYNC)
    @Scheduled(cron = "0 0 2 29 2 *")
    void syncWarehouse() {
        throw new IllegalStateException("The warehouse does not answer");
    }

    @WheelTask(RATES)
    @Scheduled(cron = "0 0 2 29 2 *")
    void refreshRates() {}

    @WheelTask(BACKUP)
    @Scheduled(cron = "0 0 2 29 2 *")
    void backUp() {}

    @WheelTask(YEARLY)
    @Scheduled(cron = "0 0 2 29 2 *")
    void archive() {}

    /** Returns the beginning of the last hour from two to three, as the browser's clock has it. */
    static Instant twoOfTheNight() {
        ZonedDateTime now = ZonedDateTime.now(ZoneId.systemDefault());
        ZonedDateTime two = now.truncatedTo(ChronoUnit.DAYS).withHour(2);
        return (now.isBefore(two.plusHours(1)) ? two.minusDays(1) : two).toInstant();
    }

    /** Writes runs of last night, each third of which failed, and their totals, as a node did that is gone. */
    static void fill(Server server) {
        JdbcTemplate jdbc = server.context().getBean(JdbcTemplate.class);
        Instant two = twoOfTheNight();
        List<Object[]> rows = IntStream.range(0, RUNS_OF_THE_NIGHT)
                .mapToObj(i -> {
                    boolean failed = i % 3 == 0;
                    Timestamp at = Timestamp.from(two.plusSeconds(60 + i));
                    return new Object[] {
                        at,
                        at,
                        1_000 * (i + 1),
                        failed ? 1 : 0,
                        failed ? "java.io.IOException" : null,
                        failed ? "Disk " + i + " is full" : null,
                        failed ? "ab12" : null
                    };
                })
                .toList();
        int[] ignored = jdbc.batchUpdate(
                "insert into wheel_history_run (noted_at, started, micros, outcome, failure, message, kind, task,"
                        + " scheduler, node) values (?, ?, ?, ?, ?, ?, ?, '" + NIGHTLY
                        + "', 'taskScheduler', 'gone-1')",
                rows);
        Timestamp start = Timestamp.from(two);
        for (int outcome = 0; outcome < 2; outcome++) {
            write(
                    jdbc,
                    "insert into wheel_history_hour (starts_at, task, node, outcome, runs, micros, longest, earliest,"
                            + " latest) values (?, '" + NIGHTLY + "', 'gone-1', ?, ?, 1000, 1000, ?, ?)",
                    start,
                    outcome,
                    outcome == 0 ? 40 : 20,
                    start,
                    start);
        }
        write(
                jdbc,
                "insert into wheel_history_kind (starts_at, task, kind, failure, rows_written, earliest, latest)"
                        + " values (?, '" + NIGHTLY + "', 'ab12', 'java.io.IOException', 20, ?, ?)",
                start,
                start,
                start);
        write(
                jdbc,
                "insert into wheel_history_text (task, on_day, kind, failure, text) values ('" + NIGHTLY
                        + "', current_date, 'ab12', 'java.io.IOException', 'java.io.IOException at Report.write')");
        Timestamp before =
                Timestamp.from(Instant.now().truncatedTo(ChronoUnit.DAYS).minus(100, ChronoUnit.DAYS));
        write(
                jdbc,
                "insert into wheel_history_day (starts_at, task, outcome, runs, micros, longest, earliest, latest)"
                        + " values (?, '" + YEARLY + "', 0, 1, 1000, 1000, ?, ?)",
                before,
                before,
                before);
        fillTheHourBefore(jdbc, two.minusSeconds(3_600));
    }

    /**
     * Writes one run an hour of each of so many tasks, for the 24 hours before this one, and a kind of failures of
     * each.
     */
    static void fillHours(Server server, int tasks) {
        JdbcTemplate jdbc = server.context().getBean(JdbcTemplate.class);
        Timestamp now = Timestamp.from(Instant.now().truncatedTo(ChronoUnit.HOURS));
        write(
                jdbc,
                "insert into wheel_history_hour (starts_at, task, node, outcome, runs, micros, longest, earliest,"
                        + " latest) select dateadd(hour, -h.x, cast(? as timestamp with time zone)),"
                        + " 'task-' || t.x, 'gone-1', 0, 1, 1000, 1000, ?, ? from system_range(1, 24) h,"
                        + " system_range(1, " + tasks + ") t",
                now,
                now,
                now);
        write(
                jdbc,
                "insert into wheel_history_kind (starts_at, task, kind, failure, rows_written, earliest, latest)"
                        + " select ?, 'task-' || x, 'ab12', 'java.io.IOException', 1, ?, ? from system_range(1, "
                        + tasks + ")",
                Timestamp.from(now.toInstant().minus(1, ChronoUnit.HOURS)),
                now,
                now);
    }

    /** Runs that did not take place, a failure whose trace is not kept, and very many runs. */
    private static void fillTheHourBefore(JdbcTemplate jdbc, Instant one) {
        String[] details = {"paused", "running", "full", "down"};
        for (int i = 0; i < details.length; i++) {
            boolean isMissed = details[i].equals("down");
            write(
                    jdbc,
                    "insert into wheel_history_run (noted_at, outcome, runs, detail, task, scheduler, node)"
                            + " values (?, ?, ?, ?, '" + STOCK + "', 'taskScheduler', 'gone-1')",
                    Timestamp.from(one.plusSeconds(i)),
                    isMissed ? 5 : 4,
                    isMissed ? 2 : 1,
                    details[i]);
        }
        Timestamp start = Timestamp.from(one);
        write(
                jdbc,
                "insert into wheel_history_run (noted_at, outcome, micros, task, instance, scheduler, node)"
                        + " values (?, 0, 100, 'mail', '47', 'durable', 'gone-1'),"
                        + " (?, 0, 100, 'closing', null, 'durable', 'gone-1')",
                start,
                start);
        write(
                jdbc,
                "insert into wheel_history_hour (starts_at, task, node, outcome, runs, micros, longest, earliest,"
                        + " latest) values (?, '" + STOCK + "', 'gone-1', 4, 5, 0, 0, ?, ?)",
                start,
                start,
                start);
        write(
                jdbc,
                "insert into wheel_history_kind (starts_at, task, kind, failure, rows_written, earliest, latest)"
                        + " values (?, '" + STOCK + "', 'cd34', 'java.io.IOException', 1, ?, ?)",
                start,
                start,
                start);
        write(
                jdbc,
                "insert into wheel_history_kind (starts_at, task, kind, failure, rows_written, earliest, latest)"
                        + " select ?, '" + PRICES + "', x, 'com.example.Failure' || x, x, ?, ? from system_range(1, "
                        + KINDS + ")",
                start,
                start,
                start);
        write(
                jdbc,
                "insert into wheel_history_run (noted_at, outcome, micros, task, scheduler, node)"
                        + " select ?, 0, 100, '" + PRICES + "', 'taskScheduler', 'gone-1' from system_range(1, " + MANY
                        + ")",
                start);
    }

    private static void write(JdbcTemplate jdbc, String statement, Object... values) {
        int unused = jdbc.update(statement, values);
    }
}
