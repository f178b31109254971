package io.github.wheelscheduler.sample.cluster;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.sample.Demo;
import io.github.wheelscheduler.sample.Texts;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Processes that share durable tasks on one PostgreSQL, of which one is killed in the middle. This process schedules
 * the tasks, and runs none: its engine is never started.
 */
public final class ClusterDemo implements Demo {

    private static final int LEAST_NODES = 2;
    private static final int MOST_NODES = 8;
    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LEAD = Duration.ofSeconds(1);

    /** The longest time that scheduling a task takes. */
    private static final Duration LEAD_PER_TASK = Duration.ofNanos(100_000);

    private static final int PART_BEFORE_KILL = 3;
    private static final long LOOK_MILLIS = 50;
    private static final int PAGE = 10_000;

    private final int nodes;
    private final int tasks;
    private final Duration time;

    /**
     * Prepares one.
     *
     * @param nodes the number of processes at first
     * @param tasks the number of tasks that are scheduled
     * @param time the time within which they are due
     * @throws IllegalArgumentException if a value does not fit
     */
    public ClusterDemo(int nodes, int tasks, Duration time) {
        if (nodes < LEAST_NODES || nodes > MOST_NODES) {
            throw new IllegalArgumentException("nodes must be " + LEAST_NODES + " to " + MOST_NODES + ", was " + nodes);
        }
        if (tasks < 1) {
            throw new IllegalArgumentException("tasks must be at least 1, was " + tasks);
        }
        if (time.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("time must be at least " + SHORTEST + ", was " + time);
        }
        this.nodes = nodes;
        this.tasks = tasks;
        this.time = time;
    }

    @Override
    public String introduction() {
        return this + "; one of them is killed after a third of the time";
    }

    /** Plays it, and returns who ran what, and when. */
    @Override
    public String play() throws IOException, InterruptedException {
        try (Cluster cluster = Cluster.start()) {
            return play(cluster);
        }
    }

    private String play(Cluster cluster) throws IOException, InterruptedException {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        try (DurableEngine engine = new DurableEngine(
                DurableSettings.ofNode("demo"),
                executor,
                cluster.dataSource(),
                JsonMapper.builder().build(),
                DurableObserver.NONE)) {
            return new Play(cluster, engine, new Ledger(new JdbcTemplate(cluster.dataSource()))).play();
        } catch (IOException | DataAccessException ex) {
            if (cluster.isEnding()) {
                throw new InterruptedException("This process is ending");
            }
            throw ex;
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }

    @Override
    public String toString() {
        return "%,d durable tasks due within %s, and one every second, on %d processes and a PostgreSQL"
                .formatted(tasks, Texts.of(time), nodes);
    }

    /** One performance. */
    private final class Play {

        private final Cluster cluster;
        private final DurableTasks durable;
        private final Ledger ledger;

        Play(Cluster cluster, DurableTasks durable, Ledger ledger) {
            this.cluster = cluster;
            this.durable = durable;
            this.ledger = ledger;
        }

        String play() throws IOException, InterruptedException {
            List<String> names = startNodes();
            Instant firstDueAt = schedule();
            sleepUntil(firstDueAt.plus(time.dividedBy(PART_BEFORE_KILL)));
            String killed = busiest(names);
            cluster.kill(killed);
            Instant killedAt = Instant.now();
            await(killed + " must be gone", () -> !ledger.isConnected(killed));
            Set<String> orphans = claimed().getOrDefault(killed, Set.of());
            String successor = "n" + (nodes + 1);
            names.add(successor);
            cluster.startNode(successor);
            say("%s is killed, and %s is being started.%n", killed, successor);
            awaitAll();
            ClusterReport.Kill kill = new ClusterReport.Kill(killed, firstDueAt, killedAt, orphans);
            return new ClusterReport(names, kill, ledger.runs(), ledger.ticks()).of(tasks);
        }

        private List<String> startNodes() throws IOException, InterruptedException {
            ledger.create();
            // The first question makes the table; nodes that start at the same time would be in each other's way.
            boolean ignored = isAllDone();
            List<String> names = new ArrayList<>();
            for (int i = 1; i <= nodes; i++) {
                names.add("n" + i);
                cluster.startNode("n" + i);
            }
            say("PostgreSQL runs, and %s are being started.", String.join(", ", names));
            await("the processes must be ready", () -> names.stream().allMatch(ledger::isReady));
            return names;
        }

        /** Schedules the tasks, and returns when the first is due. */
        private Instant schedule() {
            Instant firstDueAt = Instant.now().plus(LEAD).plus(LEAD_PER_TASK.multipliedBy(tasks));
            List<DurableRequest> requests = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                Reminder reminder = new Reminder(
                        "task-" + i, firstDueAt.plus(time.multipliedBy(i).dividedBy(tasks)));
                requests.add(new DurableRequest(reminder.id(), reminder, reminder.dueAt()));
            }
            int scheduled = durable.scheduleAll(ClusterNode.HANDLER, requests);
            say("%,d tasks are scheduled.", scheduled);
            return firstDueAt;
        }

        /** Returns the one whose end does the most harm: that which has claimed the most. */
        private String busiest(List<String> names) {
            Map<String, Set<String>> claimed = claimed();
            return Collections.max(
                    names,
                    Comparator.comparingInt(
                            name -> claimed.getOrDefault(name, Set.of()).size()));
        }

        /** Returns the tasks that each node has claimed. */
        private Map<String, Set<String>> claimed() {
            Map<String, Set<String>> claimed = new HashMap<>();
            List<DurableTask> page = durable.list(ClusterNode.HANDLER, DurableTask.State.CLAIMED, null, PAGE);
            while (!page.isEmpty()) {
                for (DurableTask task : page) {
                    boolean ignored = claimed.computeIfAbsent(String.valueOf(task.owner()), owner -> new HashSet<>())
                            .add(task.id());
                }
                String last = page.get(page.size() - 1).id();
                page = durable.list(ClusterNode.HANDLER, DurableTask.State.CLAIMED, last, PAGE);
            }
            return claimed;
        }

        /** Waits until nothing is left to run, or nothing has run for long. */
        private void awaitAll() throws IOException, InterruptedException {
            long runs = -1;
            long patienceEnds = 0;
            while (!isAllDone()) {
                long runsNow = ledger.countRuns();
                if (runsNow != runs) {
                    runs = runsNow;
                    patienceEnds = System.nanoTime() + PATIENCE.toNanos();
                } else if (System.nanoTime() - patienceEnds > 0) {
                    return;
                }
                pause();
            }
        }

        private boolean isAllDone() {
            return durable.list(ClusterNode.HANDLER, null, null, 1).isEmpty();
        }

        private void await(String rule, BooleanSupplier condition) throws IOException, InterruptedException {
            long patienceEnds = System.nanoTime() + PATIENCE.toNanos();
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - patienceEnds > 0) {
                    throw new IOException(rule + " within " + Texts.of(PATIENCE)
                            + ", but this has not happened; see the output of the processes");
                }
                pause();
            }
        }

        private void pause() throws IOException, InterruptedException {
            cluster.checkNodes();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }

        private void sleepUntil(Instant instant) throws IOException, InterruptedException {
            while (Instant.now().isBefore(instant)) {
                pause();
            }
        }

        private void say(String text, Object... values) {
            System.out.printf(Locale.ROOT, text + "%n", values);
        }
    }
}
