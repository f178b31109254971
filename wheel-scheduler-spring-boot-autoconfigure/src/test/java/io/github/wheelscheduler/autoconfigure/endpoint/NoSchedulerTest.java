package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.EnableAutoConfigurationButDurable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The endpoint of an application without a scheduler on the wheel gives the reason that the log gives. */
@ExtendWith(OutputCaptureExtension.class)
class NoSchedulerTest {

    private static ActuatorServer start(Class<?> application) {
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                application,
                "wheel.scheduler.endpoint.min-interval=1s",
                "management.endpoint.wheelscheduler.access=unrestricted");
    }

    @Test
    void endpointGivesTheReasonOfTheLog(CapturedOutput output) {
        try (ActuatorServer server = start(OwnScheduler.class)) {
            Answer all = server.get("wheelscheduler");
            assertThat(all.status()).isEqualTo(200);
            assertThat(all.listAt("schedulers")).isEmpty();
            assertThat(all.textAt("whyNone"))
                    .startsWith("Wheel Scheduler is not active: @Scheduled methods run on 'own', a "
                            + "ThreadPoolTaskScheduler,");
            assertThat(output).containsOnlyOnce(all.textAt("whyNone"));
        }
    }

    @Test
    void pauseOfNoSchedulerIsAnsweredWithTheReason() {
        try (ActuatorServer server = start(OwnScheduler.class)) {
            Answer refused = server.post("wheelscheduler", "{\"action\": \"pause\"}");
            assertThat(refused.status()).as(refused.text()).isEqualTo(404);
            assertThat(refused.textAt("error")).startsWith("Wheel Scheduler is not active: ");
        }
    }

    @Test
    void endpointGivesNoneWhereThereIsAScheduler() {
        try (ActuatorServer server = start(Wheel.class)) {
            Answer all = server.get("wheelscheduler");
            assertThat(all.listAt("schedulers")).hasSize(1);
            assertThat(all.text()).doesNotContain("not active");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfigurationButDurable
    @EnableScheduling
    static class Wheel {

        @Scheduled(fixedRate = 60_000)
        void beat() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfigurationButDurable
    @EnableScheduling
    static class OwnScheduler {

        @Bean
        @Primary // beside that of Integration
        ThreadPoolTaskScheduler own() {
            return new ThreadPoolTaskScheduler();
        }

        @Scheduled(fixedRate = 60_000)
        void beat() {}
    }
}
