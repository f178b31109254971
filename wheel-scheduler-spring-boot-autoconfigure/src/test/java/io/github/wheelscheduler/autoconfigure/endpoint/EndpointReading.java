package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Promises to a caller that may read over HTTP. */
interface EndpointReading extends EndpointCalls {

    @Test
    default void failingTaskReadsAsFailing() {
        awaitThat(() -> assertThat(read(Jobs.FAIL).listAt("recent")).hasSize(10));
        Answer task = read(Jobs.FAIL);
        assertThat(task.textAt("last.outcome")).isEqualTo("FAILURE");
        assertThat(task.textAt("last.exception")).isEqualTo(IllegalStateException.class.getName());
        assertThat(task.textAt("last.message")).isEqualTo("the service does not answer");
        assertThat(task.numberAt("failures"))
                .isGreaterThanOrEqualTo(10)
                .isEqualTo(task.numberAt("runs"))
                .isEqualTo(task.numberAt("failuresInARow"));
        assertThat(task.at("lastSuccess")).isNull();
    }

    @Test
    default void taskThatWorksReadsAsWorking() {
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isPositive());
        Answer task = read(Jobs.BEAT);
        assertThat(task.textAt("id")).isEqualTo(Jobs.BEAT);
        assertThat(task.textAt("scheduler")).isEqualTo("taskScheduler");
        assertThat(task.textAt("origin")).isEqualTo("ANNOTATED");
        assertThat(task.textAt("schedule.kind")).isEqualTo("fixedRate");
        assertThat(task.textAt("schedule.text")).isEqualTo("PT0.02S");
        assertThat(task.textAt("last.outcome")).isEqualTo("SUCCESS");
        assertThat(task.at("last.exception")).isNull();
        assertThat(task.numberAt("failures")).isZero();
        assertThat(Instant.parse(task.textAt("lastSuccess"))).isBefore(Instant.now());
        assertThat(Duration.parse(task.textAt("last.duration"))).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    default void schedulerIsShownWithItsState() {
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isPositive());
        awaitThat(() -> assertThat(server().get(ENDPOINT).textAt("schedulers.0.tickThread.state"))
                .isEqualTo("RUNNING"));
        Answer all = server().get(ENDPOINT);
        assertThat(all.listAt("schedulers")).hasSize(1);
        assertThat(all.textAt("schedulers.0.name")).isEqualTo("taskScheduler");
        assertThat(all.textAt("schedulers.0.state")).isEqualTo("RUNNING");
        assertThat(all.textAt("schedulers.0.tick")).isEqualTo("PT0.000016384S");
        assertThat(all.numberAt("schedulers.0.workers.max")).isEqualTo(256);
        assertThat(all.numberAt("schedulers.0.workers.size")).isPositive();
        assertThat(all.numberAt("schedulers.0.pending")).isPositive();
        assertThat(all.numberAt("schedulers.0.counts.fired")).isPositive();
        assertThat(Duration.parse(all.textAt("schedulers.0.nextExpiryIn"))).isLessThan(Duration.ofSeconds(30));
        assertThat(Duration.parse(all.textAt("schedulers.0.lateness.p99.wheel")))
                .isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(Duration.parse(all.textAt("schedulers.0.lateness.p50.queue")))
                .isGreaterThanOrEqualTo(Duration.ZERO);
    }

    @Test
    default void tasksComeInPages() {
        Answer all = server().get(ENDPOINT);
        long total = all.numberAt("total");
        assertThat(total).isEqualTo(all.listAt("tasks").size()).isGreaterThan(5);
        Answer page = server().get(ENDPOINT + "?offset=2&limit=3&scheduler=taskScheduler");
        assertThat(idsOf(page)).isEqualTo(idsOf(all).subList(2, 5));
        assertThat(page.numberAt("total")).isEqualTo(total);
        assertThat(server().get(ENDPOINT + "?limit=0").listAt("tasks")).isEmpty();
        assertThat(server().get(ENDPOINT + "?offset=100000").listAt("tasks")).isEmpty();
    }

    @Test
    default void tasksAreFoundByTextStateAndOrder() {
        TaskRegistry registry = server().wheel().getTaskRegistry();
        List<ScheduledFuture<?>> tasks = List.of(
                registry.schedule("find/B-first", () -> {}, tomorrow()),
                registry.schedule("find/a-second", () -> {}, tomorrow()),
                registry.schedule("find/c-third", () -> {}, tomorrow()));
        try {
            steerWell("find/a-second", "{'action': 'pause'}");
            assertThat(found("?text=FIND/&sort=next")).containsExactly("find/B-first", "find/a-second", "find/c-third");
            assertThat(found("?text=find/&sort=id&order=desc"))
                    .containsExactly("find/c-third", "find/a-second", "find/B-first");
            assertThat(found("?text=find/&state=paused")).containsExactly("find/a-second");
            assertThat(found("?text=find/&state=paused,overdue&state=failing")).containsExactly("find/a-second");
            assertThat(found("?text=find/&state=pending&sort=lateness&order=asc"))
                    .containsExactly("find/B-first", "find/c-third");
            Answer page = server().get(ENDPOINT + "?text=find/&sort=next&order=desc&limit=2");
            assertThat(page.numberAt("total")).isEqualTo(3);
            assertThat(idsOf(page)).containsExactly("find/c-third", "find/a-second");
            assertThat(tasks.get(1).cancel(false)).isTrue();
            Answer last =
                    server().get(ENDPOINT + "?text=find/&sort=next&order=desc&limit=2&after=" + page.textAt("next"));
            assertThat(idsOf(last)).containsExactly("find/B-first");
            assertThat(last.numberAt("total")).isEqualTo(2);
            assertThat(last.at("next")).isNull();
        } finally {
            tasks.forEach(task -> task.cancel(false));
        }
    }

    @Test
    default void failingTasksAreFoundAndTheLastFailureIsShown() {
        awaitThat(() -> assertThat(read(Jobs.FAIL).numberAt("failures")).isPositive());
        assertThat(found("?state=failing")).contains(Jobs.FAIL).doesNotContain(Jobs.BEAT);
        assertThat(found("?sort=lastFailure&order=desc&limit=1")).containsExactly(Jobs.FAIL);
        assertThat(found("?sort=urgency")).containsAll(found("?sort=next")).startsWith(Jobs.FAIL);
        assertThat(Instant.parse(read(Jobs.FAIL).textAt("lastFailure"))).isBefore(Instant.now());
    }

    private List<Object> found(String query) {
        Answer answer = server().get(ENDPOINT + query);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return idsOf(answer);
    }

    private static List<Object> idsOf(Answer answer) {
        return answer.listAt("tasks").stream()
                .<Object>map(task -> ((Map<?, ?>) task).get("id"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "?limit=501, 'limit must be between 0 and 500, was 501'",
        "?limit=-1, limit must be between 0 and 500",
        "?limit=all, 'limit must be a number between 0 and 500, was all'",
        "?limit=, limit must be a number between 0 and 500",
        "?limit=99999999999, limit must be a number between 0 and 500",
        "?limit=1&limit=2, limit must be a number between 0 and 500",
        "?offset=-1, 'offset must not be negative, was -1'",
        "?offset=first, offset must be a number between 0 and 2147483647",
        "?sort=age, 'sort must be one of [scheduler, id, next, lastFailure, lateness, urgency], was age'",
        "?order=down, 'order must be asc or desc, was down'",
        "?state=lost, 'state must be one of [overdue, failing, overrunning, paused, running, pending, disabled, over], "
                + "was lost'",
        "'?state=paused,', 'pending, disabled, over], was '",
        "?after=nowhere, 'after must be the next value of a page in the same order, from the same process, was nowhere'"
    })
    default void aPageOutOfBoundsIsRefusedWithTheReason(String query, String reason) {
        Answer answer = server().get(ENDPOINT + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains(reason);
    }

    @Test
    default void unknownSchedulerIsNotFoundAndTheOthersAreNamed() {
        for (String path : List.of(ENDPOINT + "?scheduler=none", ENDPOINT + "/" + Jobs.BEAT + "?scheduler=none")) {
            Answer answer = server().get(path);
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.textAt("error")).contains("[taskScheduler]").contains("none");
        }
    }

    @Test
    default void unknownTaskIsNotFoundWithTheNumberOfTasks() {
        long known = server().get(ENDPOINT).numberAt("total");
        for (Answer answer : List.of(
                server().get(ENDPOINT + "/no.such.Task"),
                server().get(ENDPOINT + "/no/such/task"),
                steer("no.such.Task", "{'action': 'trigger'}"),
                steer("no/such/task", "{'action': 'pause'}"))) {
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.numberAt("knownTasks")).isEqualTo(known);
            assertThat(answer.textAt("error")).contains("no");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "import/customers, import/customers",
        "import/customers/daily, import/customers/daily",
        "nightly import, nightly%20import",
        "tilde~7, tilde~7",
        "com.example.Base.poll@other, com.example.Base.poll@other",
        "größte:Liste, gr%C3%B6%C3%9Fte:Liste",
        "Outer$Inner.method, Outer$Inner.method"
    })
    default void anIdWorksInAPath(String id, String path) {
        TaskRegistry registry = server().wheel().getTaskRegistry();
        ScheduledFuture<?> task = registry.schedule(id, () -> {}, tomorrow());
        try {
            assertThat(read(path).textAt("id")).isEqualTo(id);
            assertThat(steerWell(path, "{'action': 'pause'}").textAt("id")).isEqualTo(id);
            assertThat(registry.get(id).state()).hasToString("PAUSED");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    default void tasksOfTheSameNameAreToldApart() {
        List<ScheduledFuture<?>> twins = List.of(
                server().wheel().scheduleAtFixedRate(new Twin(), Duration.ofHours(1)),
                server().wheel().scheduleAtFixedRate(new Twin(), Duration.ofHours(1)));
        try {
            steerWell("twin~2", "{'action': 'pause'}");
            awaitThat(() -> assertThat(read("twin~2").textAt("state")).isEqualTo("PAUSED"));
            awaitThat(() -> assertThat(read("twin").textAt("state")).isEqualTo("PENDING"));
        } finally {
            twins.forEach(twin -> twin.cancel(false));
        }
    }

    /** Two tasks of this kind have one name. */
    final class Twin implements Runnable, NamedTask {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "twin";
        }
    }
}
