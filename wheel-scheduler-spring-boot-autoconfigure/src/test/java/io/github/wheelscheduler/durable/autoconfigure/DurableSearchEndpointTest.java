package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an operator finds among durable tasks over HTTP, sees of one, and does to all of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DurableSearchEndpointTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");
    private static final String DIGITS = "4111111111111111";

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final ActuatorServer server = start("management.endpoint.wheeldurable.show-values=always");
    private final DurableTasks tasks = server.context().getBean(DurableEngine.class);

    record Card(String number, int year) {}

    record Order(String customer, List<Card> cards, Map<String, String> keys, String note) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        static final CountDownLatch end = new CountDownLatch(1);

        @DurableHandler(value = "order", maxRetries = 0)
        void order(Order order) {}

        @DurableHandler(value = "report", maxRetries = 0)
        void report(String text) {
            throw new IllegalStateException("no paper in " + text);
        }

        @DurableHandler("hold")
        void hold(String text) throws InterruptedException {
            end.await();
        }

        @Bean
        SanitizingFunction cards() {
            return SanitizingFunction.sanitizeValue().ifKeyEndsWith("number");
        }

        @Bean
        SanitizingFunction keys() {
            return SanitizingFunction.sanitizeValue().ifKeyEquals("keys");
        }
    }

    private ActuatorServer start(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.datasource.url=" + url);
        all.add("wheel.scheduler.durable.node=shop");
        all.add("management.endpoint.wheeldurable.access=unrestricted");
        all.add("management.endpoints.jmx.exposure.include=*");
        all.add("spring.jmx.enabled=true");
        all.add("spring.jmx.unique-names=true");
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                Application.class,
                all.toArray(String[]::new));
    }

    private static Order order(String note) {
        return new Order("Ada", List.of(new Card(DIGITS, 2030)), Map.of("a", "hidden"), note);
    }

    @BeforeAll
    void schedule() {
        assertThat(tasks.schedule("order", "a/1", order("short"), LATER)).isTrue();
        assertThat(tasks.schedule("order", "long", order("x".repeat(20_000)), LATER))
                .isTrue();
        assertThat(tasks.schedule("hold", "a/1", "x", Duration.ZERO)).isTrue();
        for (String tray : List.of("tray1", "tray2", "tray3")) {
            assertThat(tasks.schedule("report", tray, tray, Duration.ZERO)).isTrue();
        }
        assertThat(tasks.schedule("nobody", "1", "x", LATER)).isTrue();
        await().atMost(PATIENCE).until(() -> get("").numberAt("failed") == 3);
        await().atMost(PATIENCE).until(() -> get("/tasks?state=claimed").text().contains("\"running\":\""));
    }

    @AfterAll
    void close() {
        Application.end.countDown();
        server.close();
    }

    private Answer get(String path) {
        Answer answer = server.get("wheeldurable" + path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    private Answer post(String path, String json) {
        return server.post("wheeldurable" + path, json.replace('\'', '"'));
    }

    private static List<String> ids(Answer page) {
        return page.listAt("tasks").stream()
                .map(task -> ((Map<?, ?>) task).get("handler") + "/" + ((Map<?, ?>) task).get("id"))
                .toList();
    }

    @Test
    void handlersAreCounted() {
        await().atMost(PATIENCE)
                .until(() -> get("/handlers")
                        .text()
                        .contains("\"handler\":\"nobody\",\"scheduled\":1,\"claimed\":0,"
                                + "\"running\":0,\"failed\":0,\"unreadable\":0,\"recurring\":0,\"unknown\":true"));
        Answer handlers = get("/handlers");
        assertThat(handlers.text())
                .contains("\"handler\":\"hold\",\"scheduled\":0,\"claimed\":1,\"running\":1,\"failed\":0")
                .contains("\"handler\":\"report\",\"scheduled\":0,\"claimed\":0,\"running\":0,\"failed\":3");
        assertThat(handlers.numberAt("countedTo")).isEqualTo(10_000);
        assertThat(handlers.at("cut")).isEqualTo(false);
    }

    @Test
    void tasksAreFoundByIdStateAndError() {
        assertThat(ids(get("/tasks?id=a/1"))).containsExactly("hold/a/1", "order/a/1");
        assertThat(ids(get("/tasks?prefix=tray"))).containsExactly("report/tray1", "report/tray2", "report/tray3");
        assertThat(ids(get("/tasks?state=scheduled&handler=order"))).containsExactly("order/a/1", "order/long");
        assertThat(ids(get("/tasks?error=PAPER%20tray2"))).containsExactly("report/tray2");
        Answer first = get("/tasks?state=failed&limit=2&show=count");
        assertThat(ids(first)).hasSize(2);
        assertThat(first.numberAt("count")).isEqualTo(3);
        assertThat(ids(get("/tasks?state=failed&limit=2&after=" + first.textAt("after"))))
                .hasSize(1)
                .doesNotContainAnyElementsOf(ids(first));
        for (String path : List.of("/tasks?id=a/1", "/tasks/order", "/tasks", "/tasks?error=paper", "/handlers", "")) {
            assertThat(get(path).text()).doesNotContain(DIGITS, "Ada", "short");
        }
    }

    @Test
    void recurringTasksAreFoundAndPage() {
        RecurringTasks recurring = server.context().getBean(RecurringTasks.class);
        try {
            for (int i = 0; i < 510; i++) {
                assertThat(recurring.schedule(
                                "report",
                                "made-%03d".formatted(i),
                                TaskSchedule.cron("0 0 3 1 1 *", ZoneOffset.UTC),
                                "x"))
                        .isEqualTo(RecurringTasks.Change.ADDED);
            }
            Answer overview = get("");
            assertThat(overview.listAt("recurring")).hasSize(500);
            Answer rest = get("/recurring?limit=500&after=" + overview.textAt("recurringAfter"));
            assertThat(rest.listAt("recurring")).hasSize(10);
            assertThat(rest.at("after")).isNull();
            assertThat(get("/recurring?prefix=made-50&handler=report").listAt("recurring"))
                    .hasSize(10);
            assertThat(get("/recurring?handler=order").listAt("recurring")).isEmpty();
            assertThat(get("/tasks?id=made-007").textAt("recurring.handler")).isEqualTo("report");
            assertThat(get("/handlers").text()).contains("\"recurring\":510");
        } finally {
            for (int i = 0; i < 510; i++) {
                assertThat(recurring.end("made-%03d".formatted(i))).isTrue();
            }
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void payloadIsShownWithoutWhatFunctionsTakeOut(CapturedOutput output) {
        Answer without = get("/tasks/order?id=a/1");
        assertThat(without.at("payload")).isNull();
        assertThat(without.at("payloadAllowed")).isEqualTo(true);
        assertThat(without.numberAt("payloadBytes")).isGreaterThan(50);
        assertThat(output.getOut()).doesNotContain("The payload of");
        Answer shown = get("/tasks/order?id=a/1&show=payload");
        assertThat(shown.textAt("payload"))
                .isEqualTo("{\"customer\":\"Ada\",\"cards\":[{\"number\":\"******\",\"year\":2030}],"
                        + "\"keys\":\"******\",\"note\":\"short\"}");
        assertThat(shown.textAt("payloadFormat")).isEqualTo("wheel-1");
        assertThat(output.getOut())
                .contains("The payload of the durable task a/1 of order was shown to an unknown user over HTTP");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void recurringTaskHasItsPayloadWhereItIsAskedFor(CapturedOutput output) {
        RecurringTasks recurring = server.context().getBean(RecurringTasks.class);
        Order order = new Order("Bob", List.of(new Card(DIGITS, 2030)), Map.of(), "short");
        assertThat(recurring.schedule("order", "customer/7", TaskSchedule.cron("0 0 3 1 1 *"), order))
                .isEqualTo(RecurringTasks.Change.ADDED);
        try {
            Answer without = get("/recurring/customer/7");
            assertThat(without.textAt("handler")).isEqualTo("order");
            assertThat(without.textAt("state")).isEqualTo("SCHEDULED");
            assertThat(without.at("payload")).isNull();
            assertThat(without.numberAt("payloadBytes")).isGreaterThan(20);
            assertThat(get("/recurring/customer/7?show=payload").textAt("payload"))
                    .contains("Bob", "******")
                    .doesNotContain(DIGITS);
            assertThat(output.getOut()).contains("The payload of the durable task customer/7 of order was shown to");
            assertThat(get("/recurring").text()).doesNotContain("Bob");
            assertThat(server.get("wheeldurable/recurring/none").status()).isEqualTo(404);
            try (ActuatorServer other = start("wheel.scheduler.durable.enabled=false")) {
                Answer hidden = other.get("wheeldurable/recurring/customer/7?show=payload");
                assertThat(hidden.textAt("payload")).isEqualTo("******");
            }
        } finally {
            assertThat(recurring.end("customer/7")).isTrue();
        }
    }

    @Test
    void longPayloadIsCut() {
        Answer shown = get("/tasks/order?id=long&show=payload");
        assertThat(shown.at("payloadCut")).isEqualTo(true);
        assertThat(shown.textAt("payload"))
                .endsWith("…")
                .contains("\"customer\":\"Ada\"")
                .doesNotContain(DIGITS, "hidden");
        assertThat(shown.numberAt("payloadBytes")).isGreaterThan(20_000);
    }

    @Test
    void payloadIsHiddenByDefault() {
        try (ActuatorServer other = start("wheel.scheduler.durable.enabled=false")) {
            Answer hidden = other.get("wheeldurable/tasks/order?id=a/1&show=payload");
            assertThat(hidden.textAt("payload")).isEqualTo("******");
            assertThat(hidden.at("payloadAllowed")).isEqualTo(false);
            DurableEndpointJmxExtension jmx = other.context().getBean(DurableEndpointJmxExtension.class);
            assertThat(jmx.some("tasks", "order", null, null, "a/1", null, null, null, null, "payload")
                            .toString())
                    .contains("******")
                    .doesNotContain("Ada");
        }
    }

    @Test
    void payloadIsShownToTheRightRole() {
        for (String role : List.of("SUPPORT", "GUEST")) {
            List<String> all = List.of(
                    "spring.datasource.url=" + url,
                    "wheel.scheduler.durable.enabled=false",
                    "spring.security.user.roles=" + role,
                    "management.endpoint.wheeldurable.show-values=when-authorized",
                    "management.endpoint.wheeldurable.roles=SUPPORT",
                    "management.endpoints.jmx.exposure.include=*",
                    "spring.jmx.enabled=true",
                    "spring.jmx.unique-names=true");
            try (ActuatorServer other =
                    ActuatorServer.start(getClass().getClassLoader(), Application.class, all.toArray(String[]::new))) {
                Answer answer = other.get("wheeldurable/tasks/order?id=a/1&show=payload");
                assertThat(answer.at("payloadAllowed")).as(role).isEqualTo(role.equals("SUPPORT"));
                assertThat(answer.text().contains("Ada")).as(role).isEqualTo(role.equals("SUPPORT"));
                // As with Boot's endpoints, a caller over JMX is authorized.
                DurableEndpointJmxExtension jmx = other.context().getBean(DurableEndpointJmxExtension.class);
                assertThat(jmx.some("tasks", "order", null, null, "a/1", null, null, null, null, "payload")
                                .toString())
                        .contains("Ada")
                        .doesNotContain(DIGITS);
            }
        }
    }

    @Test
    void oneTaskHasItsErrorWithTheStack() {
        Answer failed = get("/tasks/report?id=tray1");
        assertThat(failed.textAt("state")).isEqualTo("FAILED");
        assertThat(failed.textAt("error")).contains("no paper in tray1", "\n\tat ");
        assertThat(failed.numberAt("attempt")).isEqualTo(2);
        assertThat(failed.at("payload")).isNull();
        Answer running = get("/tasks/hold?id=a/1");
        assertThat(running.textAt("owner")).isEqualTo("shop");
        assertThat(Duration.parse(running.textAt("running"))).isPositive();
        assertThat(server.get("wheeldurable/tasks/report?id=none").status()).isEqualTo(404);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void allThatIsFoundIsSteered(CapturedOutput output) {
        for (int i = 0; i < 600; i++) {
            assertThat(tasks.schedule("nobody", "many-" + i, "x", LATER)).isTrue();
        }
        String filter = "'state': 'scheduled', 'handler': 'nobody', 'prefix': 'many-'";
        Answer moved = post("/tasks", "{'action': 'reschedule', 'at': '2101-01-01T00:00:00Z', " + filter + "}");
        assertThat(moved.status()).as(moved.text()).isEqualTo(200);
        assertThat(moved.numberAt("done")).isEqualTo(500);
        assertThat(moved.numberAt("left")).isEqualTo(100);
        Answer first = post("/tasks", "{'action': 'cancel', " + filter + "}");
        assertThat(first.numberAt("done")).isEqualTo(500);
        assertThat(first.numberAt("left")).isEqualTo(100);
        Answer last = post("/tasks", "{'action': 'cancel', " + filter + ", 'after': '" + first.textAt("after") + "'}");
        assertThat(last.numberAt("done")).isEqualTo(100);
        assertThat(last.numberAt("gone")).isZero();
        assertThat(last.at("after")).isNull();
        assertThat(ids(get("/tasks?prefix=many-"))).isEmpty();
        assertThat(output.getOut())
                .contains("Steering by an unknown user over HTTP: action cancel on durable tasks; before: tasks "
                        + "scheduled of nobody with id many-*; after: 500 done, 0 gone, 100 left");
        assertThat(post("/tasks", "{'action': 'retry', 'state': 'scheduled'}").status())
                .isEqualTo(400);
        assertThat(post("/tasks", "{'action': 'cancel'}").status()).isEqualTo(400);
        assertThat(post("/tasks", "{'action': 'explode', 'state': 'failed'}").status())
                .isEqualTo(400);
    }

    @Test
    void senselessQueryIsRefused() {
        for (String path : List.of(
                "/tasks?state=lost",
                "/tasks?limit=0",
                "/tasks?id=1&prefix=1",
                "/tasks?after=nonsense",
                "/tasks?state=scheduled&error=x",
                "/tasks?error=a+b+c+d+e+f+g+h+i+j+k",
                "/tasks?show=all",
                "/recurring?state=failed")) {
            Answer answer = server.get("wheeldurable" + path);
            assertThat(answer.status()).as(path + answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).isNotBlank();
        }
    }
}
