package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.Durable;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Durable tasks of an application whose endpoints are on a port, and so in a context, of their own. */
class ManagementPortTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        final AtomicInteger ticks = new AtomicInteger();

        @Durable("ticking")
        @Scheduled(fixedRate = 100)
        void tick() {
            ticks.incrementAndGet();
        }
    }

    @Test
    void applicationStartsAndRunsDurableTasks() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--management.server.port=0",
                        "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())) {
            assertThat(context.getEnvironment().getProperty("local.management.port"))
                    .isNotEqualTo(context.getEnvironment().getProperty("local.server.port"));
            AtomicInteger ticks = context.getBean(Application.class).ticks;
            await().atMost(Duration.ofSeconds(30)).until(() -> ticks.get() >= 2);
        }
    }
}
