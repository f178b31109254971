package io.github.wheelscheduler.durable;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The main class of a process that is one node of ours, or one of db-scheduler's {@code Scheduler}, which is there to compare. Each run becomes a line of its log. It
 * does what the lines of its input say, and ends with it.
 */
public final class MeasuredNode {

    /** Runs at a time, of both. */
    static final int THREADS = 10;

    static final Duration TICK = Duration.ofMillis(500);

    private static final Duration POLL = Duration.ofMillis(20);
    private static final int MISSED_HEARTBEATS = 4;

    private final MeasuredLog log;
    private final HikariDataSource dataSource;
    private @Nullable DurableEngine engine;

    private MeasuredNode(MeasuredLog log, HikariDataSource dataSource) {
        this.log = log;
        this.dataSource = dataSource;
    }

    /** Expects what it is, the address of the database, its name, and the file of its log. */
    public static void main(String[] args) throws IOException {
        MeasuredLog log = MeasuredLog.to(Path.of(args[3]));
        MeasuredNode node = new MeasuredNode(log, TestDatabase.dataSource(args[1]));
        switch (Contender.valueOf(args[0])) {
            case OURS -> node.startOurs(args[2]);
            case DB_SCHEDULER -> node.startDbScheduler(args[2]);
        }
        log.line("started");
        node.obey();
        Runtime.getRuntime().halt(0);
    }

    private void startOurs(String name) {
        DurableEngine made = ours(name, dataSource, log);
        MeasuredHandlers.add(List.of(System.getProperty("measured.handlers", "").split(",")), made, log);
        Runtime.getRuntime().addShutdownHook(new Thread(made::close));
        made.start();
        engine = made;
    }

    /** Makes a node whose runs are noted, with all defaults but for what system properties say. */
    static DurableEngine ours(String name, HikariDataSource dataSource, MeasuredLog log) {
        DurableEngine made = new DurableEngine(
                settings(name),
                WheelScheduledExecutor.builder().build(),
                dataSource,
                JsonMapper.builder().build(),
                DurableObserver.NONE);
        made.handle("note", String.class, RetryPolicy.DEFAULT, id -> log.run(String.valueOf(id), made.clockError()));
        return made;
    }

    private static DurableSettings settings(String name) {
        DurableSettings usual = DurableSettings.ofNode(name);
        return new DurableSettings(
                usual.table(),
                usual.initializeSchema(),
                name,
                usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                millis("measured.heartbeat", usual.heartbeat()),
                millis("measured.dead-after", usual.deadAfter()),
                millis("measured.close-limit", usual.closeLimit()),
                usual.forgetAfter(),
                Integer.getInteger("measured.max-deaths", usual.maxDeaths()),
                null);
    }

    private static Duration millis(String property, Duration usual) {
        return Duration.ofMillis(Long.getLong(property, usual.toMillis()));
    }

    /** As precise and as quick as it can be told to be, and as quick to take over as ours. */
    private void startDbScheduler(String name) {
        DurableSettings ours = DurableSettings.ofNode(name);
        Scheduler.create(
                        dataSource,
                        Tasks.oneTime("note").execute((task, context) -> log.run(task.getId(), Duration.ZERO)))
                .schedulerName(new SchedulerName.Fixed(name))
                .threads(THREADS)
                .pollUsingLockAndFetch(1.0, 4.0)
                .pollingInterval(POLL)
                .enableImmediateExecution()
                .heartbeatInterval(ours.heartbeat())
                .missedHeartbeatsLimit(MISSED_HEARTBEATS)
                .build()
                .start();
    }

    /** Returns the line that makes a node repeat a task at a fixed rate. */
    static String repeat(String id, Duration period) {
        return "repeat " + id + " " + period.toMillis();
    }

    private void obey() throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            DurableEngine ours = engine;
            if (line.equals("heap")) {
                System.gc();
                log.line("heap "
                        + ManagementFactory.getMemoryMXBean()
                                .getHeapMemoryUsage()
                                .getUsed());
            } else if (ours != null && line.startsWith("repeat ")) {
                String[] words = line.split(" ", -1);
                Runnable ignored = ours.repeat(
                        words[1],
                        ScheduleRecurrence.of(
                                TaskSchedule.fixedRate(Duration.ofMillis(Long.parseLong(words[2]))), null),
                        false,
                        () -> log.run(words[1], ours.clockError()));
            } else if (ours != null && line.equals("counts")) {
                log.line("counts " + ours.counts().givenBack());
            } else if (ours != null) {
                new MeasuredMoves(ours, log).play(line);
            }
        }
    }
}
