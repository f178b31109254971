package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskQuery.Condition;
import io.github.wheelscheduler.spring.task.TaskQuery.Order;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;

/** Tasks are found by what is said of them, in the order and by the page that was asked for. */
@SuppressWarnings("FutureReturnValueIgnored") // the shutdown ends all tasks
class TaskQueryTest extends RegistryFixture {

    private static final int MANY = Scale.of(5_000, 50_000, 50_000);

    private final Instant far = Instant.now().plus(Duration.ofDays(1));

    private final Map<String, ScheduledFuture<?>> futures = new HashMap<>();

    private void add(String id, Runnable task, Instant at) {
        futures.put(id, registry.schedule(id, task, TaskSchedule.once(at)));
    }

    private boolean cancel(String id) {
        return Objects.requireNonNull(futures.get(id)).cancel(false);
    }

    private static TaskSchedule hourly() {
        return TaskSchedule.fixedRate(Duration.ofHours(1));
    }

    private List<String> idsOf(TaskQuery query) {
        return registry.find(query).tasks().stream().map(TaskInfo::id).toList();
    }

    private static void nothing() {}

    private static void fail() {
        throw new IllegalStateException("on purpose");
    }

    @Test
    void textIsFoundAnywhereInAnIdInUpperOrLowerCase() {
        add("com.example.Import.orders", TaskQueryTest::nothing, far);
        add("import customers", TaskQueryTest::nothing, far);
        add("export", TaskQueryTest::nothing, far);
        TaskQuery.Page<TaskInfo> page = registry.find(TaskQuery.ALL.withText("iMPORT"));
        assertThat(page.tasks())
                .extracting(TaskInfo::id)
                .containsExactly("com.example.Import.orders", "import customers");
        assertThat(page.total()).isEqualTo(2);
        assertThat(page.next()).isNull();
        assertThat(idsOf(TaskQuery.ALL.withText("port"))).hasSize(3);
        assertThat(idsOf(TaskQuery.ALL.withText("none"))).isEmpty();
        assertThat(idsOf(TaskQuery.ALL.withText(" PORT  im "))).isEqualTo(idsOf(TaskQuery.ALL.withText("import")));
    }

    @Test
    void everyConditionIsMetByTheTasksThatAreInIt() {
        registry.setOverdueGrace(0, Duration.ZERO);
        Gate gate = new Gate();
        add("pending", TaskQueryTest::nothing, far);
        add("paused", TaskQueryTest::nothing, far);
        registry.pause("paused");
        registry.schedule(
                "disabled",
                TaskQueryTest::nothing,
                hourly(),
                TaskSettings.builder().enabled(false).build());
        registry.schedule("failing", TaskQueryTest::fail, hourly());
        registry.schedule("running", gate, TaskSchedule.fixedDelay(Duration.ofHours(1)));
        registry.schedule("stuck", gate, TaskSchedule.fixedRate(Duration.ofMillis(1)));
        add("over", TaskQueryTest::nothing, Instant.now());
        gate.awaitArrivals(2);
        awaitThat(() -> registry.get("over").state() == TaskInfo.State.OVER);
        awaitThat(() -> registry.get("failing").failures() == 1);
        awaitThat(() -> registry.get("failing").state() == TaskInfo.State.PENDING);
        awaitThat(() -> registry.get("stuck").overdue());
        assertThat(idsOf(TaskQuery.ALL.in(Condition.PENDING))).containsExactly("failing", "pending");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.PAUSED))).containsExactly("paused");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.DISABLED))).containsExactly("disabled");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.FAILING))).containsExactly("failing");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.RUNNING))).containsExactly("running", "stuck");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.OVER))).containsExactly("over");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.OVERDUE))).containsExactly("stuck");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.OVERDUE, Condition.FAILING)))
                .containsExactly("failing", "stuck");
        assertThat(idsOf(TaskQuery.ALL.in(Condition.RUNNING).withText("run"))).containsExactly("running");
        assertThat(idsOf(TaskQuery.ALL.withText("PURPOSE fail illegalstate"))).containsExactly("failing");
        assertThat(idsOf(TaskQuery.ALL.withText("purpose running"))).isEmpty();
        assertThat(idsOf(TaskQuery.ALL)).hasSize(7);
        TaskSurvey<String> survey =
                TaskRegistry.survey(Map.of("main", registry), TaskQuery.ALL.part(1, 2), (name, task) -> task.id(), 5);
        assertThat(survey.page().tasks()).containsExactly("failing", "over");
        assertThat(survey.page().total()).isEqualTo(7);
        TaskSurvey.OfScheduler seen = Objects.requireNonNull(survey.schedulers().get("main"));
        assertThat(seen.tasks()).isEqualTo(7);
        assertThat(seen.waiting()).isEqualTo(3).isEqualTo(registry.waiting());
        assertThat(seen.failing().tasks()).extracting(TaskInfo::id).containsExactly("failing");
        assertThat(seen.overdue().tasks()).extracting(TaskInfo::id).containsExactly("stuck");
        assertThat(seen.running().tasks()).extracting(TaskInfo::id).containsExactly("running", "stuck");
        assertThat(seen.pausedAfterFailures()).isEmpty();
        gate.open();
    }

    @Test
    void urgentTasksComeFirstAndThenTheNextToRun() {
        registry.setOverdueGrace(0, Duration.ZERO);
        registry.schedule("failing", TaskQueryTest::fail, hourly());
        awaitThat(() -> registry.get("failing").failures() == 1);
        awaitThat(() -> registry.get("failing").state() == TaskInfo.State.PENDING);
        Gate gate = holdTheOnlyWorker();
        Instant now = Instant.now();
        add("b", TaskQueryTest::nothing, now);
        awaitThat(() -> registry.get("b").lateBy().toMillis() > 10);
        add("a", TaskQueryTest::nothing, now);
        awaitThat(() -> registry.get("a").overdue());
        add("later", TaskQueryTest::nothing, far.plusSeconds(1));
        add("next", TaskQueryTest::nothing, far);
        TaskQuery urgent = TaskQuery.ALL.orderedBy(Order.URGENCY, false);
        assertThat(pagesOf(Map.of("main", registry), urgent))
                .containsExactly("main b", "main a", "main failing", "main next", "main later");
        assertThat(idsOf(urgent.orderedBy(Order.URGENCY, true))).containsExactly("later", "next", "failing", "a", "b");
        gate.open();
    }

    /** What is due waits then, though the scheduler runs. */
    private Gate holdTheOnlyWorker() {
        scheduler.setPoolSize(1);
        Gate gate = new Gate();
        scheduler.execute(gate);
        gate.awaitArrivals(1);
        return gate;
    }

    @Test
    void nextRunsAreSortedAndTasksWithoutOneComeLast() {
        add("b", TaskQueryTest::nothing, far.plusSeconds(1));
        add("a", TaskQueryTest::nothing, far.plusSeconds(2));
        add("c", TaskQueryTest::nothing, far);
        registry.schedule("cron", TaskQueryTest::nothing, TaskSchedule.cron("0 0 0 29 2 *"));
        registry.schedule(
                "never",
                TaskQueryTest::nothing,
                hourly(),
                TaskSettings.builder().enabled(false).build());
        assertThat(idsOf(TaskQuery.ALL.orderedBy(Order.NEXT, false))).containsExactly("c", "b", "a", "cron", "never");
        assertThat(idsOf(TaskQuery.ALL.orderedBy(Order.NEXT, true))).containsExactly("cron", "a", "b", "c", "never");
        assertThat(idsOf(TaskQuery.ALL.orderedBy(Order.ID, true))).containsExactly("never", "cron", "c", "b", "a");
    }

    @Test
    void lastFailuresAreSortedDespiteLaterSuccesses() {
        registry.schedule("well", TaskQueryTest::nothing, TaskSchedule.fixedDelay(Duration.ofHours(1)));
        boolean[] fails = {true};
        registry.schedule(
                "first",
                () -> {
                    if (fails[0]) {
                        fails[0] = false;
                        fail();
                    }
                },
                TaskSchedule.fixedDelay(Duration.ofMillis(1)));
        // More than are remembered one by one.
        awaitThat(() -> registry.get("first").runs() > 12);
        registry.schedule("second", TaskQueryTest::fail, TaskSchedule.fixedDelay(Duration.ofHours(1)));
        awaitThat(() -> registry.get("second").failures() == 1);
        assertThat(idsOf(TaskQuery.ALL.orderedBy(Order.LAST_FAILURE, true))).containsExactly("second", "first", "well");
        assertThat(idsOf(TaskQuery.ALL.orderedBy(Order.LAST_FAILURE, false)))
                .containsExactly("first", "second", "well");
        assertThat(registry.get("first").lastFailure())
                .isBefore(registry.get("second").lastFailure());
        assertThat(registry.get("well").lastFailure()).isNull();
        assertThat(idsOf(TaskQuery.ALL.in(Condition.FAILING))).containsExactly("second");
    }

    @Test
    void latestTasksComeFirstOrLast() {
        scheduler.stop();
        Instant now = Instant.now();
        add("late", TaskQueryTest::nothing, now);
        awaitThat(() -> registry.get("late").lateBy().toMillis() > 10);
        add("later", TaskQueryTest::nothing, now);
        awaitThat(() -> registry.get("later").lateBy().toMillis() > 10);
        add("latest", TaskQueryTest::nothing, now);
        add("onTime", TaskQueryTest::nothing, far);
        awaitThat(() -> registry.get("latest").lateBy().toNanos() > 0);
        List<String> descending = idsOf(TaskQuery.ALL.orderedBy(Order.LATENESS, true));
        assertThat(descending).containsExactly("late", "later", "latest", "onTime");
        assertThat(idsOf(TaskQuery.ALL.orderedBy(Order.LATENESS, false)))
                .containsExactly("onTime", "latest", "later", "late");
    }

    @Test
    void pagesGoOnBehindTheLastOneWhileTasksComeAndGo() {
        for (int i = 10; i < 40; i++) {
            add("task-" + i, TaskQueryTest::nothing, far.plusSeconds(i));
        }
        for (Order order : List.of(Order.SCHEDULER, Order.ID, Order.NEXT)) {
            TaskQuery query = TaskQuery.ALL.orderedBy(order, false).part(0, 10);
            TaskQuery.Page<TaskInfo> first = registry.find(query);
            assertThat(first.total()).isEqualTo(30);
            // The last one of the page goes, and others come before and behind it.
            registry.schedule("gone", TaskQueryTest::nothing, hourly()).cancel(false);
            boolean ignored = cancel("task-19");
            add("task-05", TaskQueryTest::nothing, far.plusSeconds(5));
            add("task-191", TaskQueryTest::nothing, far.plusMillis(19_500));
            TaskQuery.Page<TaskInfo> second = registry.find(query.after(first.next()));
            assertThat(second.tasks())
                    .extracting(TaskInfo::id)
                    .startsWith("task-191", "task-20", "task-21")
                    .hasSize(10);
            assertThat(second.total()).isEqualTo(31);
            TaskQuery.Page<TaskInfo> third = registry.find(query.after(second.next()));
            assertThat(third.tasks())
                    .extracting(TaskInfo::id)
                    .startsWith("task-29")
                    .hasSize(10);
            TaskQuery.Page<TaskInfo> last = registry.find(query.after(third.next()));
            assertThat(last.tasks()).extracting(TaskInfo::id).containsExactly("task-39");
            assertThat(last.next()).isNull();
            ignored = cancel("task-191") && cancel("task-05");
            add("task-19", TaskQueryTest::nothing, far.plusSeconds(19));
        }
    }

    @Test
    void pagesOfLateTasksMissNoneWhileTheyGetLater() {
        scheduler.stop();
        List<String> all = new ArrayList<>();
        for (int i = 10; i < 40; i++) {
            String id = "task-" + i;
            add(id, TaskQueryTest::nothing, Instant.now());
            all.add(id);
        }
        awaitThat(() -> idsOf(TaskQuery.ALL.orderedBy(Order.LATENESS, false)).size() == 30
                && registry.get("task-39").lateBy().toNanos() > 0);
        for (boolean isDescending : new boolean[] {true, false}) {
            List<String> seen = new ArrayList<>();
            TaskQuery query =
                    TaskQuery.ALL.orderedBy(Order.LATENESS, isDescending).part(0, 7);
            TaskQuery.Page<TaskInfo> page = registry.find(query);
            page.tasks().forEach(task -> seen.add(task.id()));
            while (page.next() != null) {
                Duration lateBy = page.tasks().get(0).lateBy();
                String id = page.tasks().get(0).id();
                awaitThat(() -> registry.get(id).lateBy().compareTo(lateBy.plusMillis(2)) > 0);
                page = registry.find(query.after(page.next()));
                page.tasks().forEach(task -> seen.add(task.id()));
            }
            assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @Test
    void cursorOfAnotherOrderIsRefused() {
        add("a", TaskQueryTest::nothing, far);
        add("b", TaskQueryTest::nothing, far);
        TaskQuery byId = TaskQuery.ALL.orderedBy(Order.ID, false).part(0, 1);
        String next = registry.find(byId).next();
        for (TaskQuery query : List.of(
                byId.after("nonsense!"),
                byId.after(""),
                TaskQuery.ALL.after(next),
                byId.orderedBy(Order.ID, true).after(next))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> registry.find(query))
                    .withMessage("after must be the next value of a page in the same order, from the same process, was "
                            + query.after());
        }
        String nextRun = registry.find(byId.orderedBy(Order.NEXT, false)).next();
        WheelTaskScheduler other = new WheelTaskScheduler();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> other.getTaskRegistry()
                        .find(byId.orderedBy(Order.NEXT, false).after(nextRun)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TaskQuery.ALL.part(0, -1))
                .withMessage("offset and limit must not be negative, were 0 and -1");
    }

    @Test
    void tasksOfSeveralSchedulersArePutInOneOrder() {
        WheelTaskScheduler other = new WheelTaskScheduler();
        other.initialize();
        try {
            add("b", TaskQueryTest::nothing, far);
            add("d", TaskQueryTest::nothing, far.plusSeconds(1));
            other.getTaskRegistry().schedule("a", TaskQueryTest::nothing, TaskSchedule.once(far.plusSeconds(2)));
            other.getTaskRegistry().schedule("b", TaskQueryTest::nothing, TaskSchedule.once(far.plusMillis(500)));
            Map<String, TaskRegistry> both = new LinkedHashMap<>();
            both.put("main", registry);
            both.put("aside", other.getTaskRegistry());
            assertThat(pagesOf(both, TaskQuery.ALL)).containsExactly("main b", "main d", "aside a", "aside b");
            assertThat(pagesOf(both, TaskQuery.ALL.orderedBy(Order.ID, false)))
                    .containsExactly("aside a", "main b", "aside b", "main d");
            assertThat(pagesOf(both, TaskQuery.ALL.orderedBy(Order.NEXT, true)))
                    .containsExactly("aside a", "main d", "aside b", "main b");
        } finally {
            other.shutdown();
        }
    }

    /** Returns what all pages of one task have. */
    private static List<String> pagesOf(Map<String, TaskRegistry> registries, TaskQuery query) {
        List<String> seen = new ArrayList<>();
        String after = null;
        do {
            TaskQuery.Page<String> page = TaskRegistry.find(
                    registries, query.part(0, 1).after(after), (name, task) -> name + " " + task.id());
            seen.addAll(page.tasks());
            after = page.next();
        } while (after != null);
        return seen;
    }

    /** No bound is asserted: the machine may be busy. */
    @Test
    void manyTasksAreFoundInTheTimeThatIsPrinted() {
        int known = 0;
        for (int tasks : new int[] {MANY / 10, MANY}) {
            while (known < tasks) {
                add(
                        "com.example.jobs.Task%05d.run".formatted(known),
                        TaskQueryTest::nothing,
                        far.plusMillis(known * 7919L % 50_000));
                known++;
            }
            TaskQuery.Page<TaskInfo> first =
                    registry.find(TaskQuery.ALL.orderedBy(Order.NEXT, false).part(0, 50));
            assertThat(first.total()).isEqualTo(tasks);
            Map<String, TaskQuery> queries = new LinkedHashMap<>();
            queries.put("by id", TaskQuery.ALL.part(0, 50));
            queries.put("by id, last page", TaskQuery.ALL.part(tasks - 50, 50));
            queries.put("text", TaskQuery.ALL.withText("TASK0123").part(0, 50));
            queries.put(
                    "overdue, failing or running",
                    TaskQuery.ALL
                            .in(Condition.OVERDUE, Condition.FAILING, Condition.RUNNING)
                            .part(0, 50));
            queries.put(
                    "pending, latest first",
                    TaskQuery.ALL
                            .in(Condition.PENDING)
                            .orderedBy(Order.LATENESS, true)
                            .part(0, 50));
            queries.put(
                    "next page by next run",
                    TaskQuery.ALL.orderedBy(Order.NEXT, false).part(0, 50).after(first.next()));
            queries.put(
                    "urgent ones first",
                    TaskQuery.ALL.orderedBy(Order.URGENCY, false).part(0, 50));
            queries.put(
                    "last failures first",
                    TaskQuery.ALL.orderedBy(Order.LAST_FAILURE, true).part(0, 50));
            queries.forEach((what, query) ->
                    System.out.printf("> find: %,d tasks, %s: %.1f ms%n", registry.size(), what, bestMillis(query)));
            System.out.printf(
                    "> find: %,d tasks, none of them, and how all are doing: %.1f ms%n",
                    registry.size(), bestMillis(this::survey));
            System.out.printf("> overdue: of %,d tasks: %.1f ms%n", tasks, bestMillis(this::countOverdue));
        }
    }

    /** Whether a cron is overdue is the dearest question. */
    @Test
    void manyOverdueCronsAreFoundInTheTimeThatIsPrinted() {
        Gate gate = holdTheOnlyWorker();
        TaskSchedule everySecond = TaskSchedule.cron("* * * * * *", ZoneId.of("Europe/Berlin"));
        for (int i = 0; i < MANY; i++) {
            registry.schedule("cron%05d".formatted(i), TaskQueryTest::nothing, everySecond);
        }
        TaskQuery overdue = TaskQuery.ALL
                .in(Condition.OVERDUE)
                .orderedBy(Order.LATENESS, true)
                .part(0, 50);
        awaitThat(() -> registry.find(overdue).total() == MANY);
        System.out.printf("> find: %,d crons, overdue, latest first: %.1f ms%n", MANY, bestMillis(overdue));
        System.out.printf("> overdue: all of %,d crons: %.1f ms%n", MANY, bestMillis(this::countOverdue));
        assertThat(registry.overdue()).isEqualTo(MANY);
        gate.open();
    }

    private void countOverdue() {
        assertThat(registry.overdue()).isNotNegative();
    }

    private void survey() {
        TaskQuery none = TaskQuery.ALL.part(0, 0);
        assertThat(TaskRegistry.survey(Map.of("main", registry), none, (name, task) -> task, 100)
                        .page()
                        .tasks())
                .isEmpty();
    }

    private double bestMillis(TaskQuery query) {
        return bestMillis(() -> assertThat(registry.find(query).tasks().size()).isLessThanOrEqualTo(50));
    }

    private static double bestMillis(Runnable search) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < Scale.of(3, 15, 15); i++) {
            long start = System.nanoTime();
            search.run();
            best = Math.min(best, System.nanoTime() - start);
        }
        return best / 1e6;
    }
}
