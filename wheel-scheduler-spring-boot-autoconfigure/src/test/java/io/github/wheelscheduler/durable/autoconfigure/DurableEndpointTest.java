package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What two nodes show of durable tasks over HTTP, and what is done to them there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DurableEndpointTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final ActuatorServer one = start("a");
    private final ActuatorServer other = start("b");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        static final Queue<String> ran = new ConcurrentLinkedQueue<>();

        @Durable("night/close")
        @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS, initialDelay = 1)
        void close() {
            ran.add("close");
        }

        @Durable("zero")
        @Scheduled(cron = "0 0 0 31 2 *")
        void neverFires() {
            ran.add("never fires");
        }

        @DurableHandler(value = "report", maxRetries = 0)
        void report(String text) {
            throw new IllegalStateException("no paper");
        }

        @DurableHandler("reject")
        DurableOutcome reject(String text) {
            return DurableOutcome.giveUp("No such address");
        }

        @DurableHandler("hold")
        void hold(String text) throws InterruptedException {
            ran.add(text);
            new CountDownLatch(1).await();
        }

        @DurableHandler("mail")
        void mail(String text) {
            ran.add(text);
        }
    }

    private ActuatorServer start(String node) {
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                Application.class,
                "spring.datasource.url=" + url,
                "wheel.scheduler.durable.node=" + node,
                "management.endpoint.wheeldurable.access=unrestricted");
    }

    @AfterAll
    void close() {
        one.close();
        other.close();
        Application.ran.clear();
    }

    @Test
    void scheduledTasksNameNoNextRunOfADurableOne() {
        Answer answer = one.get("scheduledtasks");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).contains("neverFires", "close").doesNotContain("nextExecution");
    }

    private static Answer send(ActuatorServer node, String path, String json) {
        String whole = "wheeldurable" + path;
        return json.isEmpty() ? node.get(whole) : node.post(whole, json.replace('\'', '"'));
    }

    private JsonNode read(ActuatorServer node, String path, String json) throws Exception {
        Answer answer = send(node, path, json);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return JsonMapper.builder().build().readTree(answer.text());
    }

    private void assertRefused(int status, String path, String json, String reason) throws Exception {
        Answer answer = send(one, path, json);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.text()).contains(reason);
    }

    @Test
    void endedTaskIsListedWithoutANextRun() throws Exception {
        await().atMost(PATIENCE).until(() -> send(other, "/recurring/zero", "").status() == 200);
        JsonNode ended = read(other, "/recurring/zero", "");
        assertThat(ended.has("next")).as(ended.toString()).isFalse();
        assertThat(ended.path("state").asString()).isEqualTo("ENDED");
    }

    @Test
    void recurringTasksAreSeenAndSteeredOnEitherNode() throws Exception {
        await().atMost(PATIENCE)
                .until(() -> !read(one, "", "").path("recurring").isEmpty());
        JsonNode all = read(other, "", "");
        assertThat(all.path("node").asString()).isEqualTo("b");
        assertThat(all.path("steering").asBoolean()).isTrue();
        assertThat(Instant.parse(all.path("now").asString())).isBefore(Instant.now());
        JsonNode close = all.path("recurring").path(0);
        assertThat(close.path("id").asString()).isEqualTo("night/close");
        assertThat(close.path("schedule").asString()).isEqualTo("fixed-rate PT1H");
        assertThat(close.path("state").asString()).isEqualTo("SCHEDULED");

        String path = "/recurring/night/close";
        assertThat(read(one, path, "{'action': 'pause'}").path("state").asString())
                .isEqualTo("PAUSED");
        assertThat(read(other, path, "").path("paused").asBoolean()).isTrue();
        JsonNode triggered = read(other, path, "{'action': 'trigger'}");
        assertThat(triggered.path("paused").asBoolean()).isTrue();
        await().atMost(PATIENCE).until(() -> Application.ran.contains("close"));
        assertThat(read(other, path, "{'action': 'retime', 'cron': '0 0 3 * * *', 'zone': 'Asia/Tokyo'}")
                        .path("schedule")
                        .asString())
                .isEqualTo("cron 0 0 3 * * * Asia/Tokyo");
        assertThat(read(one, path, "{'action': 'resume'}").path("paused").asBoolean())
                .isFalse();
        assertThat(read(other, path, "").path("declaredSchedule").asString()).isEqualTo("fixed-rate PT1H");
    }

    @Test
    void taskThatIsMadeAtRunTimeIsSeenAndSteered() throws Exception {
        RecurringTasks tasks = one.context().getBean(RecurringTasks.class);
        TaskSchedule hourly = TaskSchedule.fixedRate(Duration.ofHours(1));
        RecurringRequest request = new RecurringRequest(
                "made/7", hourly, "made", Instant.now().plusSeconds(1_000), Durable.Missed.RUN_ONCE);
        assertThat(tasks.schedule("mail", request)).isEqualTo(RecurringTasks.Change.ADDED);
        try {
            assertThat(read(other, "", "").path("recurring").valueStream()).anySatisfy(task -> {
                assertThat(task.path("id").asString()).isEqualTo("made/7");
                assertThat(task.path("handler").asString()).isEqualTo("mail");
                assertThat(task.path("schedule").asString()).isEqualTo("fixed-rate PT1H");
                assertThat(task.toString()).doesNotContain("\"made\"");
            });
            String path = "/recurring/made/7";
            assertThat(read(other, path, "{'action': 'pause'}").path("state").asString())
                    .isEqualTo("PAUSED");
            assertThat(read(one, path, "{'action': 'retime', 'fixedDelay': '2h'}")
                            .path("schedule")
                            .asString())
                    .isEqualTo("fixed-delay PT2H");
            assertThat(read(one, path, "{'action': 'trigger'}").path("paused").asBoolean())
                    .isTrue();
            await().atMost(PATIENCE).until(() -> Application.ran.contains("made"));
            assertRefused(
                    404,
                    "/tasks/mail",
                    "{'action': 'cancel', 'id': 'made/7'}",
                    "No durable task made/7 of the handler mail");
        } finally {
            assertThat(tasks.end("made/7")).isTrue();
        }
        assertRefused(404, "/recurring/made/7", "", "No recurring durable task named ");
    }

    @Test
    void runThatGoesOnIsCancelledFromEitherNode() throws Exception {
        assertThat(one.context().getBean(DurableTasks.class).schedule("hold", "1", "held", Duration.ZERO))
                .isTrue();
        await().atMost(PATIENCE).until(() -> Application.ran.contains("held"));
        assertRefused(409, "/tasks/hold", "{'action': 'cancel', 'id': '1'}", "CLAIMED");
        assertRefused(400, "/tasks/hold", "{'action': 'cancel', 'id': '1', 'within': 'soon'}", "such as 5s, was soon");
        assertRefused(400, "/tasks/hold", "{'action': 'cancel', 'id': '1', 'within': '2h'}", "0 to 1 minute, was 2h");
        assertThat(read(other, "/tasks/hold", "{'action': 'cancel', 'id': '1', 'within': '30s'}")
                        .path("id")
                        .asString())
                .isEqualTo("1");
        assertRefused(404, "/tasks/hold", "{'action': 'cancel', 'id': '1', 'within': '30s'}", "No durable task 1 of");
        assertThat(one.context().getBean(DurableTasks.class).find("hold", "1")).isEmpty();
    }

    @Test
    void nodeIsDrainedAndClaimsAgain() throws Exception {
        assertThat(read(other, "", "{'action': 'drain'}").path("draining").asBoolean())
                .isTrue();
        assertThat(read(one, "", "").path("draining").asBoolean()).isFalse();
        assertThat(other.context().getBean(DurableEngine.class).isDraining()).isTrue();
        assertThat(read(other, "", "{'action': 'resume'}").path("draining").asBoolean())
                .isFalse();
        assertRefused(400, "", "{'action': 'explode'}", "action must be drain or resume, was explode");
        assertThat(read(one, "", "").path("nodes"))
                .extracting(node -> node.path("node").asString())
                .contains("a", "b");
    }

    @Test
    void oneTimeTasksAreSeenAndSteered() throws Exception {
        DurableTasks tasks = one.context().getBean(DurableTasks.class);
        Instant later = Instant.now().plusSeconds(3_600);
        for (String id : new String[] {"1", "2", "3"}) {
            assertThat(tasks.schedule("mail", id, "secret " + id, later)).isTrue();
        }
        JsonNode page = read(other, "/tasks/mail?limit=2", "");
        assertThat(page.path("tasks").size()).isEqualTo(2);
        assertThat(page.toString()).doesNotContain("secret");
        JsonNode last =
                read(other, "/tasks/mail?limit=2&after=" + page.path("after").asString(), "");
        assertThat(last.path("tasks").path(0).path("id").asString()).isEqualTo("3");
        assertThat(last.path("after").isMissingNode() || last.path("after").isNull())
                .isTrue();

        assertThat(read(other, "/tasks/mail", "{'action': 'cancel', 'id': '1'}")
                        .path("id")
                        .asString())
                .isEqualTo("1");
        assertThat(read(other, "/tasks/mail", "{'action': 'reschedule', 'id': '2', 'at': '" + Instant.now() + "'}")
                        .path("handler")
                        .asString())
                .isEqualTo("mail");
        await().atMost(PATIENCE).until(() -> Application.ran.contains("secret 2"));
        assertThat(Application.ran).doesNotContain("secret 1");
    }

    @Test
    void taskThatItsHandlerGaveUpIsSeenWithTheReason() throws Exception {
        assertThat(one.context().getBean(DurableTasks.class).schedule("reject", "1", "text", Instant.now()))
                .isTrue();
        await().atMost(PATIENCE)
                .until(() -> read(other, "/tasks/reject?state=failed", "")
                                .path("tasks")
                                .size()
                        == 1);
        JsonNode failed =
                read(other, "/tasks/reject?state=failed", "").path("tasks").path(0);
        assertThat(failed.path("failure").asString()).isEqualTo("No such address");
        assertThat(failed.path("failures").asInt()).isEqualTo(1);
        assertThat(read(other, "/tasks/reject", "{'action': 'cancel', 'id': '1'}")
                        .path("id")
                        .asString())
                .isEqualTo("1");
    }

    @Test
    void permanentFailureIsSeenAndRetried() throws Exception {
        assertThat(one.context().getBean(DurableTasks.class).schedule("report", "1", "text", Instant.now()))
                .isTrue();
        await().atMost(PATIENCE).until(() -> read(other, "", "").path("failed").asInt() == 1);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                one.get("wheelscheduler?show=findings").listAt("findings"))
                        .anySatisfy(finding -> assertThat(((Map<?, ?>) finding).get("text"))
                                .isEqualTo("1 durable task has failed permanently")));
        JsonNode failed =
                read(other, "/tasks/report?state=failed", "").path("tasks").path(0);
        assertThat(failed.path("failure").asString()).isEqualTo("java.lang.IllegalStateException: no paper");
        assertThat(failed.path("failures").asInt()).isEqualTo(1);
        String lastFailure = failed.path("lastFailure").asString();

        assertThat(read(other, "/tasks/report", "{'action': 'retry', 'id': '1'}")
                        .path("id")
                        .asString())
                .isEqualTo("1");

        await().atMost(PATIENCE)
                .until(() -> !read(one, "/tasks/report?state=failed", "")
                        .path("tasks")
                        .path(0)
                        .path("lastFailure")
                        .asString(lastFailure)
                        .equals(lastFailure));
    }

    @Test
    void senselessRequestIsAnsweredWithTheReason() throws Exception {
        await().atMost(PATIENCE)
                .until(() -> !read(one, "", "").path("recurring").isEmpty());
        assertRefused(404, "/recurring/none", "", "No recurring durable task named none");
        assertRefused(404, "/recurring/none", "{'action': 'trigger'}", "named none");
        assertRefused(404, "/others/none", "", "path must begin with handlers, recurring or tasks, was others");
        assertRefused(404, "/handlers/mail", "", "path must have nothing behind handlers, had mail");
        assertRefused(404, "/handlers", "{'action': 'pause'}", "path must begin with recurring or tasks, was handlers");
        assertRefused(400, "/recurring/night/close", "{'action': 'explode'}", "action must be");
        assertRefused(400, "/recurring/night/close", "{'action': 'retime'}", "exactly one of");
        assertRefused(400, "/recurring/night/close", "{'action': 'pause', 'cron': '* * * * * *'}", "only be given");
        assertRefused(400, "/recurring/night/close", "{'action': 'retime', 'cron': '0 0 0 31 2 *'}", "have a next run");
        assertRefused(400, "/tasks/mail?limit=501", "", "limit must be between 1 and 500, was 501");
        assertRefused(400, "/tasks/mail?limit=many", "", "limit must be a number between 1 and 500, was many");
        assertRefused(
                400, "/tasks/mail?state=lost", "", "state must be scheduled, claimed, failed or unreadable, was lost");
        assertRefused(400, "/tasks/mail", "{'action': 'cancel'}", "id must be given");
        assertRefused(404, "/tasks/mail", "{'action': 'cancel', 'id': 'none'}", "No durable task none of");
        assertRefused(400, "/tasks/recurring:night", "", "must not begin with recurring:");
        assertRefused(400, "/recurring/night/close", "{'action': 'pause', 'id': '1'}", "one-time tasks only");
        assertThat(one.context()
                        .getBean(DurableTasks.class)
                        .schedule("nobody", "x", "text", Instant.now().plusSeconds(3_600)))
                .isTrue();
        assertRefused(409, "/tasks/nobody", "{'action': 'retry', 'id': 'x'}", "SCHEDULED");
        assertRefused(400, "/tasks/nobody", "{'action': 'reschedule', 'id': 'x', 'at': 'soon'}", "was soon");
    }

    @Test
    void repeatedPathParameterMustBeTheSame() throws Exception {
        await().atMost(PATIENCE)
                .until(() -> !read(one, "", "").path("recurring").isEmpty());
        String path = "/recurring/night/close";
        for (String name : new String[] {"kind", "name", "segments"}) {
            assertRefused(400, path, "{'action': 'pause', '" + name + "': 'other'}", name + " must ");
            assertRefused(400, path + "?" + name + "=other", "{'action': 'pause'}", name + " must ");
            assertRefused(400, path + "?" + name + "=other", "", name + " must ");
        }
        assertThat(read(one, path + "?name=night/close", "").path("paused").asBoolean())
                .isFalse();
        assertThat(read(one, path, "{'action': 'resume', 'kind': 'recurring', 'name': 'night/close'}")
                        .path("id")
                        .asString())
                .isEqualTo("night/close");
        assertRefused(404, "/", "", "path must begin with handlers, recurring or tasks");
        assertRefused(404, "/recurring", "{'action': 'pause'}", "No recurring durable task named ");
    }

    @Test
    void rateBelowTheFloorIsRefused() throws Exception {
        String json = "{'action': 'retime', 'fixedRate': '1ns'}";
        assertRefused(400, "/recurring/night/close", json, "must be at least PT0.001S");
    }

    @Test
    void answerRepeatsLittleOfWhatIsLong() throws Exception {
        String much = "x".repeat(5_000);
        String action = "{'action': '" + much + "'}";
        String at = "{'action': 'reschedule', 'id': '" + much + "', 'at': '" + much + "'}";
        for (Answer answer : List.of(
                send(one, "/recurring/" + much, ""),
                send(one, "/recurring/" + much, action),
                send(one, "/tasks/mail?limit=" + much, ""),
                send(one, "/tasks/mail", at))) {
            assertThat(answer.status()).isIn(400, 404);
            assertThat(answer.text()).contains("x").doesNotContain("x".repeat(201));
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void eachSteeringLeavesOneLine(CapturedOutput output) throws Exception {
        assertThat(one.context()
                        .getBean(DurableTasks.class)
                        .schedule("mail", "line", "text", Instant.now().plusSeconds(3_600)))
                .isTrue();
        JsonNode ignored = read(one, "/tasks/mail", "{'action': 'cancel', 'id': 'line'}");
        assertRefused(404, "/tasks/mail", "{'action': 'cancel', 'id': 'li\\ne'}", "No durable task li");
        assertThat(output.getOut().lines())
                .filteredOn(line -> line.contains("Steering by"))
                .allMatch(line -> line.contains("io.github.wheelscheduler.durable "))
                .satisfiesExactly(
                        done -> assertThat(done)
                                .matches(".*Steering by an unknown user over HTTP: action cancel on durable task line "
                                        + "of tasks/mail; before: SCHEDULED .*; after: gone"),
                        refused -> assertThat(refused)
                                .contains("was refused: action cancel on durable task li?e of tasks/mail; cause: "));
    }

    @Test
    void taskThatHasRunBeforeTheAnswerIsAnsweredAsItWas() throws Exception {
        DurableTasks tasks = one.context().getBean(DurableTasks.class);
        for (int i = 0; i < 50; i++) {
            assertThat(tasks.schedule("mail", "r" + i, "text", Instant.now().plusSeconds(3_600)))
                    .isTrue();
            String json = "{'action': 'reschedule', 'id': 'r" + i + "', 'at': '" + Instant.now() + "'}";
            assertThat(read(other, "/tasks/mail", json).path("id").asString()).isEqualTo("r" + i);
        }
    }

    @Test
    void databaseThatIsAwayIsAnsweredWithoutItsWords() throws Exception {
        try (ActuatorServer third = start("c")) {
            third.context().getBean(HikariDataSource.class).close();
            for (String path : new String[] {"", "/recurring/night/close", "/tasks/mail"}) {
                Answer answer = send(third, path, "");
                assertThat(answer.status()).as(answer.text()).isEqualTo(503);
                assertThat(answer.text()).contains("the database must answer").doesNotContain("select");
            }
        }
    }
}
