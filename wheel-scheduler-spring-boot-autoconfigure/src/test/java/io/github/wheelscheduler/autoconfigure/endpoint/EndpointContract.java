package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;

/** What somebody sees and does over HTTP who is allowed to. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EndpointContract {

    private static final String ENDPOINT = "wheelscheduler";
    private static final String UNRESTRICTED = "management.endpoint.wheelscheduler.access=unrestricted";

    private ActuatorServer server;

    abstract ActuatorServer start(String... properties);

    @BeforeAll
    void startServer() {
        server = start(UNRESTRICTED);
    }

    @AfterAll
    void stopServer() {
        server.context().getBean(Jobs.class).letGo();
        server.close();
    }

    private Answer read(String id) {
        Answer answer = server.get(ENDPOINT + "/" + id);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    private Answer steer(String id, String json) {
        return server.post(ENDPOINT + "/" + id, json.replace('\'', '"'));
    }

    private Answer steerWell(String id, String json) {
        Answer answer = steer(id, json);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    // Reading

    @Test
    void aFailingTaskReadsAsFailing() {
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
    void aTaskThatWorksReadsAsWorking() {
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
    void theSchedulerIsShownWithItsState() {
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isPositive());
        awaitThat(() -> assertThat(server.get(ENDPOINT).textAt("schedulers.0.tickThread.state"))
                .isEqualTo("RUNNING"));
        Answer all = server.get(ENDPOINT);
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
    void tasksComeInPages() {
        Answer all = server.get(ENDPOINT);
        long total = all.numberAt("total");
        assertThat(total).isEqualTo(all.listAt("tasks").size()).isGreaterThan(5);
        Answer page = server.get(ENDPOINT + "?offset=2&limit=3&scheduler=taskScheduler");
        assertThat(idsOf(page)).isEqualTo(idsOf(all).subList(2, 5));
        assertThat(page.numberAt("total")).isEqualTo(total);
        assertThat(server.get(ENDPOINT + "?limit=0").listAt("tasks")).isEmpty();
        assertThat(server.get(ENDPOINT + "?offset=100000").listAt("tasks")).isEmpty();
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
        "?offset=first, offset must be a number between 0 and 2147483647"
    })
    void aPageOutOfBoundsIsRefusedWithTheReason(String query, String reason) {
        Answer answer = server.get(ENDPOINT + query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains(reason);
    }

    @Test
    void anUnknownSchedulerIsNotFoundAndTheReasonNamesThoseThatAreThere() {
        for (String path : List.of(ENDPOINT + "?scheduler=none", ENDPOINT + "/" + Jobs.BEAT + "?scheduler=none")) {
            Answer answer = server.get(path);
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.textAt("error")).contains("[taskScheduler]").contains("none");
        }
    }

    @Test
    void anUnknownTaskIsNotFoundWithTheNumberOfThoseThatAreThere() {
        long known = server.get(ENDPOINT).numberAt("total");
        for (Answer answer : List.of(
                server.get(ENDPOINT + "/no.such.Task"),
                server.get(ENDPOINT + "/no/such/task"),
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
    void anIdWorksInAPath(String id, String path) {
        TaskRegistry registry = server.wheel().getTaskRegistry();
        ScheduledFuture<?> task = registry.schedule(id, () -> {}, tomorrow());
        try {
            assertThat(read(path).textAt("id")).isEqualTo(id);
            assertThat(steerWell(path, "{'action': 'pause'}").textAt("id")).isEqualTo(id);
            assertThat(registry.get(id).state()).hasToString("PAUSED");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    private static TaskSchedule tomorrow() {
        return TaskSchedule.once(Instant.now().plus(Duration.ofDays(1)));
    }

    @Test
    void tasksOfTheSameNameAreToldApart() {
        List<ScheduledFuture<?>> twins = List.of(
                server.wheel().scheduleAtFixedRate(new Twin(), Duration.ofHours(1)),
                server.wheel().scheduleAtFixedRate(new Twin(), Duration.ofHours(1)));
        try {
            steerWell("twin~2", "{'action': 'pause'}");
            awaitThat(() -> assertThat(read("twin~2").textAt("state")).isEqualTo("PAUSED"));
            awaitThat(() -> assertThat(read("twin").textAt("state")).isEqualTo("PENDING"));
        } finally {
            twins.forEach(twin -> twin.cancel(false));
        }
    }

    private static final class Twin implements Runnable, NamedTask {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "twin";
        }
    }

    // Steering

    @Test
    void triggeringRunsTheTaskOnceAndKeepsItsPhase() {
        Answer before = read(Jobs.REST);
        steerWell(Jobs.REST, "{'action': 'trigger'}");
        awaitThat(() -> assertThat(read(Jobs.REST).numberAt("runs")).isEqualTo(before.numberAt("runs") + 1));
        Answer after = read(Jobs.REST);
        assertThat(after.at("last.triggered")).isEqualTo(true);
        assertThat(Instant.parse(after.textAt("next")))
                .isCloseTo(Instant.parse(before.textAt("next")), within(1, ChronoUnit.SECONDS));
    }

    @Test
    void aRunningTaskIsShownAsRunningAndIsNotTriggered() {
        steerWell(Jobs.HOLD, "{'action': 'trigger'}");
        awaitThat(() -> assertThat(read(Jobs.HOLD).textAt("state")).isEqualTo("RUNNING"));
        assertThat(Instant.parse(read(Jobs.HOLD).textAt("runningSince"))).isBefore(Instant.now());
        Answer refused = steer(Jobs.HOLD, "{'action': 'trigger'}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.textAt("error")).contains("must not be running").contains(Jobs.HOLD);
        server.context().getBean(Jobs.class).letGo();
        awaitThat(() -> assertThat(read(Jobs.HOLD).numberAt("runs")).isEqualTo(1));
    }

    @Test
    void aPausedTaskSkipsItsRunsUntilItIsResumed() {
        steerWell(Jobs.BEAT, "{'action': 'pause'}");
        awaitThat(() -> assertThat(read(Jobs.BEAT).textAt("state")).isEqualTo("PAUSED"));
        long runs = read(Jobs.BEAT).numberAt("runs");
        long skips = read(Jobs.BEAT).numberAt("skips");
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("skips")).isGreaterThan(skips + 2));
        assertThat(read(Jobs.BEAT).numberAt("runs")).isEqualTo(runs);
        steerWell(Jobs.BEAT, "{'action': 'resume'}");
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isGreaterThan(runs));
    }

    @Test
    void reTimingToAFixedRateTakesEffectAndIsWhatBootsEndpointShows() {
        steerWell(Jobs.REST, "{'action': 'retime', 'fixedRate': '2h'}");
        Answer after = read(Jobs.REST);
        assertThat(after.textAt("schedule.kind")).isEqualTo("fixedRate");
        assertThat(after.textAt("schedule.text")).isEqualTo("PT2H");
        assertNextIsAbout(Jobs.REST, Instant.now().plus(Duration.ofHours(2)));
    }

    @Test
    void reTimingToAFixedDelayTakesEffectAndIsWhatBootsEndpointShows() {
        steerWell(Jobs.PAUSE_AFTER, "{'action': 'retime', 'fixedDelay': 'PT3H', 'scheduler': 'taskScheduler'}");
        assertThat(read(Jobs.PAUSE_AFTER).textAt("schedule.kind")).isEqualTo("fixedDelay");
        assertNextIsAbout(Jobs.PAUSE_AFTER, Instant.now().plus(Duration.ofHours(3)));
    }

    @Test
    void reTimingToACronExpressionTakesEffectAndIsWhatBootsEndpointShows() {
        ZoneId zone = ZoneId.of("Asia/Tokyo");
        steerWell(Jobs.YEARLY, "{'action': 'retime', 'cron': '0 30 4 1 7 *', 'zone': 'Asia/Tokyo'}");
        Answer after = read(Jobs.YEARLY);
        assertThat(after.textAt("schedule.kind")).isEqualTo("cron");
        assertThat(after.textAt("schedule.text")).isEqualTo("0 30 4 1 7 *");
        assertThat(after.textAt("schedule.zone")).isEqualTo("Asia/Tokyo");
        assertNextIsAbout(
                Jobs.YEARLY,
                CronExpression.parse("0 30 4 1 7 *")
                        .next(Instant.now().atZone(zone))
                        .toInstant());
    }

    @Test
    void aOneTimeTaskIsPutOff() {
        ScheduledFuture<?> task = server.wheel().getTaskRegistry().schedule("closing", () -> {}, tomorrow());
        try {
            steerWell("closing", "{'action': 'retime', 'once': '2040-01-01T12:00:00+02:00'}");
            Answer after = read("closing");
            assertThat(after.textAt("schedule.kind")).isEqualTo("once");
            assertThat(after.textAt("schedule.text")).isEqualTo("2040-01-01T10:00:00Z");
            assertThat(Instant.parse(after.textAt("next")))
                    .isCloseTo(Instant.parse("2040-01-01T10:00:00Z"), within(1, ChronoUnit.MINUTES));
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    /** Boot's endpoint shows the schedule of the annotation for ever, but the right next time. */
    private void assertNextIsAbout(String id, Instant expected) {
        assertThat(Instant.parse(read(id).textAt("next"))).isCloseTo(expected, within(1, ChronoUnit.MINUTES));
        Answer scheduled = server.get("scheduledtasks");
        List<String> found = Stream.of("fixedRate", "fixedDelay", "cron")
                .flatMap(kind -> scheduled.listAt(kind).stream())
                .map(task -> (Map<?, ?>) task)
                .filter(task -> String.valueOf(task.get("runnable")).contains(id))
                .map(task -> String.valueOf(((Map<?, ?>) task.get("nextExecution")).get("time")))
                .toList();
        assertThat(found).hasSize(1);
        assertThat(Instant.parse(found.get(0))).isCloseTo(expected, within(1, ChronoUnit.MINUTES));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {'action': 'retime'}                                         | exactly one of fixedRate, fixedDelay, cron and once
            {'action': 'retime', 'fixedRate': '1s', 'fixedDelay': '1s'}  | exactly one of fixedRate, fixedDelay, cron and once
            {'action': 'retime', 'fixedRate': 'soon'}                    | fixedRate must be a duration such as 5s, was soon
            {'action': 'retime', 'fixedRate': '-1s'}                     | period must be positive
            {'action': 'retime', 'fixedDelay': '0s'}                     | delay must be positive
            {'action': 'retime', 'cron': 'every day'}                    | every day
            {'action': 'retime', 'cron': '0 0 0 31 2 *'}                 | must name a time that is to come
            {'action': 'retime', 'cron': '0 0 3 * * *', 'zone': 'Mars'}  | zone must be a time zone
            {'action': 'retime', 'fixedRate': '1s', 'zone': 'UTC'}       | zone must only be given with cron
            {'action': 'retime', 'once': 'tomorrow'}                     | once must be an instant such as 2030-01-01T12:00:00Z, was tomorrow
            {'action': 'retime', 'once': '2040-01-01T12:00Z', 'cron': '@daily'} | exactly one of
            {'action': 'pause', 'fixedRate': '1s'}                       | only be given with the action retime
            {'action': 'stop'}                                           | action must be trigger, pause, resume, retime or reset, was stop
            {}                                                           | action must be trigger, pause, resume, retime or reset
            """)
    void aBadRequestIsRefusedWithTheReasonAndChangesNothing(String json, String reason) {
        String id = "steady";
        ScheduledFuture<?> task = server.wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            Answer before = read(id);
            Answer answer = steer(id, json);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(reason);
            Answer after = read(id);
            assertThat(after.at("schedule")).isEqualTo(before.at("schedule"));
            assertThat(after.at("state")).isEqualTo("PENDING");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    void anIntervalBeyondAllMeasureIsNoErrorOfTheServer() {
        String id = "seldom";
        ScheduledFuture<?> task = server.wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            steerWell(id, "{'action': 'retime', 'fixedRate': '20000000000000h'}");
            assertThat(Instant.parse(read(id).textAt("next")))
                    .isAfter(Instant.now().plus(Duration.ofDays(36_500)));
            steerWell(id, "{'action': 'trigger'}");
            awaitThat(() -> assertThat(read(id).numberAt("runs")).isPositive());
            Answer refused = steer(id, "{'action': 'retime', 'fixedRate': '999999999999999999999s'}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.textAt("error")).contains("fixedRate must be a duration");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    void aPausedSchedulerRunsNothingUntilItIsResumed() {
        Answer paused = server.post(ENDPOINT, "{\"action\": \"pause\", \"scheduler\": \"taskScheduler\"}");
        try {
            assertThat(paused.textAt("state")).isEqualTo("PAUSED");
            assertThat(server.get(ENDPOINT).textAt("schedulers.0.state")).isEqualTo("PAUSED");
            awaitThat(() -> assertThat(server.get(ENDPOINT).numberAt("schedulers.0.ready"))
                    .isPositive());
        } finally {
            assertThat(server.post(ENDPOINT, "{\"action\": \"resume\"}").textAt("state"))
                    .isEqualTo("RUNNING");
        }
        long runs = read(Jobs.BEAT).numberAt("runs");
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isGreaterThan(runs));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"action\": \"stop\"}", "{}"})
    void aSchedulerKnowsNoOtherAction(String json) {
        Answer answer = server.post(ENDPOINT, json);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains("action must be pause, resume, run, halt or off");
    }

    // What is said twice

    @ParameterizedTest
    @ValueSource(strings = {"id", "segments"})
    void aTaskThatIsNamedOnceMoreMustBeThatOfThePath(String name) {
        for (String body : List.of("{'action': 'pause', '%s': '%s'}", "{'action': 'explode', '%s': '%s'}")) {
            Answer answer = steer(Jobs.REST, body.formatted(name, Jobs.YEARLY));
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(name + " must ");
        }
        String query = Jobs.REST + "?" + name + "=";
        for (Answer answer : List.of(
                steer(query + Jobs.YEARLY, "{'action': 'pause'}"),
                steer(query + "a&" + name + "=" + Jobs.REST, "{'action': 'pause'}"),
                server.get(ENDPOINT + "/" + query + Jobs.YEARLY),
                server.get(ENDPOINT + "/" + query + Jobs.YEARLY + "&" + name + "=" + Jobs.REST))) {
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(name + " must ");
        }
        assertThat(read(Jobs.YEARLY).textAt("state")).isEqualTo("PENDING");
        assertThat(read(Jobs.REST).textAt("state")).isEqualTo("PENDING");
    }

    @Test
    void aTaskMayBeNamedOnceMoreAsInThePath() {
        String query = "?id=" + Jobs.PAUSE_AFTER;
        assertThat(read(Jobs.PAUSE_AFTER + query).textAt("id")).isEqualTo(Jobs.PAUSE_AFTER);
        steerWell(Jobs.PAUSE_AFTER + query, "{'action': 'resume', 'id': '" + Jobs.PAUSE_AFTER + "'}");
    }

    @Test
    void anAnswerRepeatsLittleOfWhatIsLong() {
        String much = "x".repeat(5_000);
        for (Answer answer : List.of(
                server.get(ENDPOINT + "/" + much),
                server.get(ENDPOINT + "?scheduler=" + much),
                server.get(ENDPOINT + "?limit=" + much),
                steer(much, "{'action': 'pause'}"),
                steer(Jobs.REST, "{'action': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'pause', 'id': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'fixedRate': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'once': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': '* * * * * " + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': '@daily', 'zone': '" + much + "'}"),
                server.post(ENDPOINT, "{\"action\": \"" + much + "\"}"))) {
            assertThat(answer.status()).isIn(400, 404);
            assertThat(answer.textAt("error").toLowerCase(Locale.ROOT))
                    .contains("x")
                    .doesNotContain("x".repeat(201));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u0000", "\\u001b", "\\u202e", "\\u2028", "\\ud83d"})
    void anAnswerRepeatsWhatIsNotSeenAsAQuestionMark(String escaped) {
        for (Answer answer : List.of(
                steer(Jobs.REST, "{'action': 'a" + escaped + "z'}"),
                steer(Jobs.REST, "{'action': 'pause', 'id': 'a" + escaped + "z'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': 'a" + escaped + "z'}"),
                steer(Jobs.REST, "{'action': 'retime', 'once': 'a" + escaped + "z'}"))) {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.textAt("error")).containsPattern("a\\??z");
        }
    }

    @Test
    void aCronBeyondMeasureIsRefused() {
        Answer answer = steer(Jobs.REST, "{'action': 'retime', 'cron': '" + "0,".repeat(100) + "0 0 0 * * *'}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains("cron must have at most 200 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixedRate", "fixedDelay"})
    void anIntervalBelowTheFloorIsRefused(String kind) {
        String id = "floor/" + kind;
        ScheduledFuture<?> task = server.wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            for (String interval : List.of("1ns", "999us", "PT0.000999999S")) {
                Answer answer = steer(id, "{'action': 'retime', '" + kind + "': '" + interval + "'}");
                assertThat(answer.status()).as(answer.text()).isEqualTo(400);
                assertThat(answer.textAt("error")).contains("must be at least").contains(interval);
            }
            assertThat(read(id).textAt("schedule.kind")).isEqualTo("once");
            assertThat(steerWell(id, "{'action': 'retime', '" + kind + "': '1ms'}")
                            .textAt("schedule.text"))
                    .isEqualTo("PT0.001S");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    // Once, and back again

    @Test
    void anInstantThatIsLongPastIsRefused() {
        String id = "past";
        ScheduledFuture<?> task = server.wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            Answer answer = steer(
                    id,
                    "{'action': 'retime', 'once': '"
                            + Instant.now().minusSeconds(5).atOffset(ZoneOffset.UTC) + "'}");
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains("once must not be more than a second past");
            assertThat(read(id).numberAt("runs")).isZero();
            steerWell(id, "{'action': 'retime', 'once': '" + Instant.now() + "'}");
            awaitThat(() -> assertThat(read(id).numberAt("runs")).isEqualTo(1));
        } finally {
            task.cancel(false);
        }
    }

    @Test
    void aTaskThatRepeatsByItsCodeIsNotLostByRunningOnce() {
        ScheduledFuture<?> task = server.wheel().scheduleWithFixedDelay(new Hourly(), Duration.ofHours(1));
        try {
            awaitThat(() -> assertThat(read("hourly").numberAt("runs")).isEqualTo(1));
            steerWell("hourly", "{'action': 'retime', 'once': '" + Instant.now() + "'}");
            awaitThat(() -> assertThat(read("hourly").textAt("state")).isEqualTo("OVER"));
            assertThat(steer("hourly", "{'action': 'trigger'}").status()).isEqualTo(409);
            steerWell("hourly", "{'action': 'retime', 'cron': '0 0 3 1 1 *'}");
            assertThat(read("hourly").textAt("state")).isEqualTo("PENDING");
            Answer reset = steerWell("hourly", "{'action': 'reset'}");
            assertThat(reset.textAt("schedule.kind")).isEqualTo("fixedDelay");
            assertThat(reset.textAt("schedule.text")).isEqualTo("PT1H");
            assertThat(reset.textAt("state")).isEqualTo("PENDING");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    private static final class Hourly implements Runnable, NamedTask {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "hourly";
        }
    }

    @Test
    void aScheduleCannotBeGivenWithAReset() {
        Answer answer = steer(Jobs.REST, "{'action': 'reset', 'fixedRate': '1s'}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains("only be given with the action retime");
    }

    // Without write access

    @Test
    void withoutWriteAccessTheServerRefusesAndNothingChanges() {
        try (ActuatorServer readOnly = start()) {
            String task = ENDPOINT + "/" + Jobs.REST;
            Answer before = readOnly.get(task);
            assertThat(before.status()).isEqualTo(200);
            for (String action : List.of("trigger", "pause", "retime")) {
                String schedule = action.equals("retime") ? ", \"fixedRate\": \"1s\"" : "";
                assertThat(readOnly.post(task, "{\"action\": \"" + action + "\"" + schedule + "}")
                                .status())
                        .isEqualTo(405);
            }
            assertThat(readOnly.post(ENDPOINT, "{\"action\": \"pause\"}").status())
                    .isEqualTo(405);
            Answer after = readOnly.get(task);
            for (String part : List.of("state", "schedule", "runs")) {
                assertThat(after.at(part)).isEqualTo(before.at(part));
            }
            assertThat(readOnly.get(ENDPOINT).textAt("schedulers.0.state")).isEqualTo("RUNNING");
        }
    }

    @Test
    void withoutAnyAccessThereIsNoEndpoint() {
        try (ActuatorServer none = start("management.endpoint.wheelscheduler.access=none")) {
            assertThat(none.get(ENDPOINT).status()).isEqualTo(404);
        }
    }
}
