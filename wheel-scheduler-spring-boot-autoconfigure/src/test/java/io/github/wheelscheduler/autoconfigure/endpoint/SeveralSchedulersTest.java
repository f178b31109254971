package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.EnableAutoConfigurationButDurable;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An operator steers several schedulers of the application's own over HTTP. */
class SeveralSchedulersTest {

    private static final String CLEAN = "wheelscheduler/clean";
    private static final String PAUSE = "{\"action\": \"pause\"}";

    private static ActuatorServer server;

    @BeforeAll
    static void start() {
        server = ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                TwoSchedulers.class,
                "management.endpoint.wheelscheduler.access=unrestricted",
                "management.endpoint.health.show-details=always");
        for (WheelTaskScheduler scheduler : schedulers().values()) {
            ScheduledFuture<?> ignored =
                    scheduler.getTaskRegistry().schedule("clean", () -> {}, TaskSchedule.cron("0 0 3 1 1 *"));
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Map<String, WheelTaskScheduler> schedulers() {
        return server.context().getBeansOfType(WheelTaskScheduler.class);
    }

    @Test
    void allOfThemAreShown() {
        Answer all = server.get("wheelscheduler");
        assertThat(all.textAt("schedulers.0.name")).isEqualTo("orders");
        assertThat(all.textAt("schedulers.1.name")).isEqualTo("reports");
        assertThat(all.numberAt("total")).isEqualTo(2);
        assertThat(server.get("wheelscheduler?scheduler=reports").textAt("schedulers.0.name"))
                .isEqualTo("reports");
    }

    @Test
    void taskThatBothHaveNeedsTheNameOfOne() {
        for (Answer answer : new Answer[] {server.get(CLEAN), server.post(CLEAN, PAUSE)}) {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains("[orders, reports]").contains("clean");
        }
        assertThat(server.get(CLEAN + "?scheduler=orders").textAt("scheduler")).isEqualTo("orders");
        Answer paused = server.post(CLEAN, "{\"action\": \"pause\", \"scheduler\": \"reports\"}");
        assertThat(paused.textAt("state")).isEqualTo("PAUSED");
        assertThat(server.get(CLEAN + "?scheduler=reports").textAt("state")).isEqualTo("PAUSED");
        assertThat(server.get(CLEAN + "?scheduler=orders").textAt("state")).isEqualTo("PENDING");
    }

    @Test
    void oneOfThemIsPausedAndItsHealthAloneSaysSo() {
        assertThat(server.post("wheelscheduler", PAUSE).status()).isEqualTo(400);
        Answer paused = server.post("wheelscheduler?scheduler=reports", PAUSE);
        assertThat(paused.textAt("state")).isEqualTo("PAUSED");
        Answer health = server.get("health/wheelScheduler");
        assertThat(health.status()).isEqualTo(200);
        assertThat(health.textAt("components.reports.details.reason")).isEqualTo("the scheduler is paused");
        assertThat(health.at("components.orders.details.reason")).isNull();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfigurationButDurable
    static class TwoSchedulers {

        @Bean
        WheelTaskScheduler orders() {
            return new WheelTaskScheduler();
        }

        @Bean
        WheelTaskScheduler reports() {
            return new WheelTaskScheduler();
        }
    }
}
