package io.github.wheelscheduler.durable.internal;

import static org.awaitility.Awaitility.await;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableBody;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.testing.Contender;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The main class of a process that is one node of ours, or one of db-scheduler's {@code Scheduler}, which is there to
 * compare. Each run becomes a line of its log. It does what the lines of its input say, and ends with it.
 */
public final class MeasuredNode {

    /** Runs at a time, of both; a process that has none only schedules. */
    static final int THREADS = Integer.getInteger("measured.threads", 10);

    static final Duration TICK = Duration.ofMillis(500);

    private static final Duration POLL = Duration.ofMillis(20);
    private static final int MISSED_HEARTBEATS = 4;

    /** Beside those of runs. */
    private static final int MORE_CONNECTIONS = 6;

    private static final long WORK_NANOS = Long.getLong("measured.work-millis", 0) * 1_000_000;

    /** How many runs of the process have ended. */
    static final LongAdder ENDED = new LongAdder();

    private final MeasuredLog log;
    private final HikariDataSource dataSource;
    private @Nullable DurableEngine engine;
    private @Nullable MeasuredProducer producer;

    private MeasuredNode(MeasuredLog log, HikariDataSource dataSource) {
        this.log = log;
        this.dataSource = dataSource;
    }

    /** Expects what it is, the address of the database, its name, and the file of its log. */
    public static void main(String[] args) throws IOException {
        MeasuredLog log = MeasuredLog.to(Path.of(args[3]));
        MeasuredNode node = start(Contender.valueOf(args[0]), args[1], args[2], log);
        Runtime.getRuntime().addShutdownHook(new Thread(node::close));
        log.line("started");
        node.obey();
        Runtime.getRuntime().halt(0);
    }

    static MeasuredNode start(Contender contender, String url, String name, MeasuredLog log) {
        MeasuredNode node = new MeasuredNode(
                log, TestDatabase.dataSource(url, Math.max(TestDatabase.CONNECTIONS, THREADS + MORE_CONNECTIONS)));
        node.producer = new MeasuredProducer(
                name,
                log,
                switch (contender) {
                    case OURS -> node.startOurs(name);
                    case DB_SCHEDULER -> node.startDbScheduler(name);
                });
        return node;
    }

    void produce(double perSecond) {
        MeasuredProducer producing = producer;
        if (producing != null) {
            producing.setRate(perSecond);
        }
    }

    /** Does for ours what an application does when it ends. */
    void close() {
        DurableEngine ours = engine;
        if (ours != null) {
            ours.close();
        }
    }

    private MeasuredProducer.Insertion startOurs(String name) {
        DurableEngine made = ours(name, dataSource, log);
        MeasuredHandlers.add(List.of(System.getProperty("measured.handlers", "").split(",")), made, log);
        made.start();
        engine = made;
        return (ids, payload, at) -> {
            int inserted = made.scheduleAll(
                    "note",
                    ids.stream().map(id -> new DurableRequest(id, payload, at)).toList());
            if (inserted != ids.size()) {
                throw new IllegalStateException("all ids must be new, " + inserted + " of " + ids.size() + " were");
            }
        };
    }

    /** Makes a node whose runs are noted, with all defaults but for what system properties say. */
    static DurableEngine ours(String name, HikariDataSource dataSource, MeasuredLog log) {
        DurableEngine made = new DurableEngine(
                settings(name),
                WheelScheduledExecutor.builder().build(),
                dataSource,
                JsonMapper.builder().build(),
                DurableObserver.NONE);
        if (Boolean.getBoolean("measured.traced")) {
            made.setRunObservation(Unsampled.observation(), Map.of());
        }
        if (THREADS > 0) {
            made.handle("note", String.class, RetryPolicy.DEFAULT, Integer.MAX_VALUE, null, (DurableBody<String>)
                    (payload, run) -> run(log, run.id(), made.clockError()));
        }
        return made;
    }

    /** Gives each run the ids of a span that is not sampled, as a tracer does. */
    private static final class Unsampled implements ObservationHandler<Observation.Context> {

        static WheelRunObservation observation() {
            ObservationRegistry registry = ObservationRegistry.create();
            ObservationRegistry.ObservationConfig ignored =
                    registry.observationConfig().observationHandler(new Unsampled());
            return new WheelRunObservation(
                    () -> registry,
                    ObservedTasks.NAMED,
                    null,
                    () -> spanOf(registry.getCurrentObservation()),
                    WheelRunObservation.DEFAULT_CHILD_WITHIN);
        }

        private static @Nullable RunOrigin spanOf(@Nullable Observation current) {
            return current == null ? null : current.getContext().get(RunOrigin.class);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStart(Observation.Context context) {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            HexFormat hex = HexFormat.of();
            String trace = hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
            Object ignored = context.put(
                    RunOrigin.class, new RunOrigin(trace, hex.toHexDigits(random.nextLong()), false, false));
        }
    }

    private static void run(MeasuredLog log, String id, Duration error) {
        log.run(id, error);
        long endNanos = System.nanoTime() + WORK_NANOS;
        for (long left = WORK_NANOS; left > 0; left = endNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        ENDED.increment();
    }

    private static DurableSettings settings(String name) {
        DurableSettings usual = DurableSettings.ofNode(name);
        return new DurableSettings(
                usual.table(),
                usual.initializeSchema(),
                name,
                THREADS > 0 ? THREADS : usual.maxConcurrent(),
                usual.claimAhead(),
                usual.maxClaimed(),
                millis("measured.heartbeat", usual.heartbeat()),
                millis("measured.dead-after", usual.deadAfter()),
                millis("measured.close-limit", usual.closeLimit()),
                usual.forgetAfter(),
                Integer.getInteger("measured.max-deaths", usual.maxDeaths()),
                null,
                !"false".equals(System.getProperty("measured.nudge")),
                DurableSettings.UnknownHandlers.WARN);
    }

    private static Duration millis(String property, Duration usual) {
        return Duration.ofMillis(Long.getLong(property, usual.toMillis()));
    }

    /** As precise and as quick as it can be told to be, and as quick to take over as ours. */
    private MeasuredProducer.Insertion startDbScheduler(String name) {
        DurableSettings ours = DurableSettings.ofNode(name);
        OneTimeTask<String> note =
                Tasks.oneTime("note", String.class).execute((task, context) -> run(log, task.getId(), Duration.ZERO));
        if (THREADS == 0) {
            SchedulerClient client =
                    SchedulerClient.Builder.create(dataSource, note).build();
            return (ids, payload, at) -> client.scheduleBatch(instances(note, ids, payload), at);
        }
        Scheduler scheduler = Scheduler.create(dataSource, note)
                .schedulerName(new SchedulerName.Fixed(name))
                .threads(THREADS)
                .pollUsingLockAndFetch(1.0, 4.0)
                .pollingInterval(POLL)
                .enableImmediateExecution()
                .heartbeatInterval(ours.heartbeat())
                .missedHeartbeatsLimit(MISSED_HEARTBEATS)
                .build();
        scheduler.start();
        return (ids, payload, at) -> scheduler.scheduleBatch(instances(note, ids, payload), at);
    }

    private static List<TaskInstance<?>> instances(OneTimeTask<String> note, List<String> ids, String payload) {
        List<TaskInstance<?>> instances = new ArrayList<>();
        for (String id : ids) {
            instances.add(note.instance(id, payload));
        }
        return instances;
    }

    /** Returns the line that makes a node repeat a task at a fixed rate. */
    static String repeat(String id, Duration period) {
        return "repeat " + id + " " + period.toMillis();
    }

    private void obey() throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            DurableEngine ours = engine;
            if (line.startsWith(MeasuredProducer.COMMAND)) {
                produce(Double.parseDouble(line.substring(MeasuredProducer.COMMAND.length())));
            } else if (line.equals("heap")) {
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

    /**
     * Random reschedules and cancels of tasks, each within two seconds of when its task was due at first; each becomes
     * a line of the log.
     */
    static final class MeasuredMoves {

        static final long WITHIN_MICROS = 2_000_000;

        private static final int MOVERS = 8;

        private final DurableTasks tasks;
        private final MeasuredLog log;

        MeasuredMoves(DurableTasks tasks, MeasuredLog log) {
            this.tasks = tasks;
            this.log = log;
        }

        static String line(int remainder, int count, long firstMicros, long stepMicros) {
            return "moves " + remainder + " " + count + " " + firstMicros + " " + stepMicros;
        }

        /** Moves each second task twice: {@link #line}. */
        void play(String line) {
            String[] words = line.split(" ", -1);
            int remainder = Integer.parseInt(words[1]);
            int count = Integer.parseInt(words[2]);
            long firstMicros = Long.parseLong(words[3]);
            long stepMicros = Long.parseLong(words[4]);
            ScheduledExecutorService movers = Executors.newScheduledThreadPool(MOVERS);
            for (int i = remainder; i < count; i += 2) {
                String id = "t" + i;
                Random random = new Random(i);
                long dueMicros = firstMicros + i * stepMicros;
                // One after the other, as the order of what happens at the same time would be unknown.
                long at = dueMicros - (long) (random.nextDouble() * WITHIN_MICROS);
                Object ignored = movers.schedule(
                        () -> {
                            move(id, random);
                            move(id, random);
                        },
                        at - MeasuredLog.nowMicros(),
                        TimeUnit.MICROSECONDS);
            }
            movers.shutdown();
            await().atMost(Duration.ofMinutes(5)).until(movers::isTerminated);
            log.line("moved");
        }

        private void move(String id, Random random) {
            try {
                if (random.nextInt(4) == 0) {
                    boolean inTime = tasks.cancel("note", id);
                    log.line("cancel " + id + " " + inTime);
                } else {
                    long toMicros = MeasuredLog.nowMicros() + (long) (random.nextDouble() * WITHIN_MICROS);
                    boolean inTime = tasks.reschedule("note", id, MeasuredLog.instant(toMicros));
                    log.line("move " + id + " " + inTime + " " + toMicros);
                }
            } catch (RuntimeException ex) {
                log.line("failed " + id + " " + ex);
            }
        }
    }
}
