package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The history over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HistoryEndpointTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ActuatorServer server = ActuatorServer.start(
            new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
            Application.class,
            "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
            "management.endpoint.wheelscheduler.access=unrestricted",
            "wheel.scheduler.history.node=app-1");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DurableAutoConfiguration.class)
    @EnableScheduling
    static class Application {}

    @AfterAll
    void close() {
        server.close();
    }

    private void schedule(String name, Runnable task) {
        TaskRegistry tasks = server.wheel().getTaskRegistry();
        ScheduledFuture<?> ignored = tasks.schedule(name, task, TaskSchedule.cron("0 0 2 29 2 *"));
    }

    private void trigger(String name, int times) {
        for (int i = 1; i <= times; i++) {
            int runs = i;
            Answer answer = server.post("wheelscheduler/" + name, "{\"action\": \"trigger\", \"reason\": \"a test\"}");
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            await().atMost(PATIENCE)
                    .until(() -> server.get("wheelscheduler/" + name).numberAt("runs") == runs);
        }
    }

    private void awaitRows(String name, int number) {
        await().atMost(PATIENCE)
                .until(() ->
                        server.get("wheelhistory?task=" + name).listAt("rows").size() == number);
    }

    @Test
    void rowsComeInPagesTheNewestFirst() {
        schedule("paged", () -> {});
        trigger("paged", 3);
        awaitRows("paged", 3);
        Answer first = server.get("wheelhistory?task=paged&limit=2&outcome=success,failure&cause=by_hand");
        assertThat(first.textAt("node")).isEqualTo("app-1");
        assertThat(first.listAt("rows")).hasSize(2);
        assertThat(first.textAt("rows.0.cause")).isEqualTo("BY_HAND");
        assertThat(first.textAt("rows.0.scheduler")).isEqualTo("taskScheduler");
        Answer second = server.get("wheelhistory?task=paged&limit=2&after=" + first.textAt("after"));
        assertThat(second.listAt("rows")).hasSize(1);
        assertThat(second.text()).doesNotContain("\"after\"");
        assertThat(server.get("wheelhistory?task=paged&outcome=missed").listAt("rows"))
                .isEmpty();
    }

    @Test
    void failureIsFoundByItsTextAndHasItsKindAndTrace() {
        schedule("broken", () -> {
            throw new IllegalStateException("no paper");
        });
        trigger("broken", 1);
        awaitRows("broken", 1);
        Answer found = server.get("wheelhistory?task=broken&text=PAPER");
        assertThat(found.textAt("rows.0.exception")).isEqualTo("java.lang.IllegalStateException");
        assertThat(found.textAt("rows.0.message")).isEqualTo("no paper");
        assertThat(server.get("wheelhistory?task=broken&text=ink").listAt("rows"))
                .isEmpty();
        Answer task = server.get("wheelhistory/task?task=broken");
        assertThat(task.textAt("summary.failingSince")).isEqualTo(task.textAt("summary.lastFailure"));
        Answer kinds = server.get("wheelhistory/failures?task=broken");
        assertThat(kinds.numberAt("failures.0.rows")).isEqualTo(1);
        Answer ofAll = server.get("wheelhistory/failures");
        assertThat(ofAll.textAt("failures.0.task")).isEqualTo("broken");
        assertThat(ofAll.text()).doesNotContain("\"trace\"");
        Answer trace = server.get("wheelhistory/trace?task=broken&kind=" + found.textAt("rows.0.kind"));
        assertThat(trace.textAt("trace")).contains("HistoryEndpointTest").doesNotContain("no paper");
    }

    @Test
    void totalsOfTheOpenHourAreThere() {
        schedule("counted", () -> {});
        trigger("counted", 2);
        awaitRows("counted", 2);
        Answer hours = server.get("wheelhistory/hours?task=counted");
        long runs = hours.listAt("totals").stream()
                .mapToLong(total -> ((Number) ((Map<?, ?>) total).get("runs")).longValue())
                .sum();
        assertThat(runs).isEqualTo(2);
        Answer sums = server.get("wheelhistory/sums?task=counted");
        assertThat(sums.numberAt("hours.0.succeeded")).isPositive();
        assertThat(sums.numberAt("hours.0.failed")).isZero();
        assertThat(server.get("wheelhistory/days?task=counted").status()).isEqualTo(200);
    }

    @Test
    void auditSaysWhatWasDoneAndWhy() {
        schedule("steered", () -> {});
        trigger("steered", 1);
        assertThat(server.post("wheelscheduler/steered", "{\"action\": \"stop\"}")
                        .status())
                .isEqualTo(400);
        await().atMost(PATIENCE)
                .until(() -> server.get("wheelhistory/audit?task=steered")
                                .listAt("entries")
                                .size()
                        == 2);
        Answer audit = server.get("wheelhistory/audit?task=steered");
        assertThat(audit.textAt("entries.0.refusal")).contains("action must be");
        assertThat(audit.textAt("entries.1.action")).isEqualTo("trigger");
        assertThat(audit.textAt("entries.1.reason")).isEqualTo("a test");
        assertThat(audit.textAt("entries.1.channel")).isEqualTo("http");
    }

    @Test
    void requestThatMakesNoSenseIsRefusedWithTheReason() {
        assertRefused("?outcome=lost", 400, "outcome must be one of");
        assertRefused("?from=yesterday", 400, "from must be an instant such as");
        assertRefused("?from=-999999999-01-01T00:00:00Z", 400, "from must be an instant such as");
        assertRefused("/hours?to=9999-12-31T23:59:59-01:00", 400, "to must be an instant such as");
        assertRefused("?after=9223372036854775807_1", 400, "The cursor must be that of a page");
        assertRefused("?node=app-1", 400, "node and text must have a task");
        assertRefused("?limit=0", 400, "limit must be 1 to 1000");
        assertRefused("?limit=x", 400, "limit must be a number between 1 and 1000, was x");
        assertRefused("/task", 400, "task must be given");
        assertRefused("/weeks", 404, "path must be hours, sums");
    }

    private void assertRefused(String path, int status, String reason) {
        Answer answer = server.get("wheelhistory" + path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.textAt("error")).contains(reason);
    }
}
