package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.json.JsonMapper;

/** No method that is to be durable is ignored, or runs on every node, as its context has no engine for it. */
class DurableGuardTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The ones of engines of the application. */
    private static final Queue<WheelScheduledExecutor> EXECUTORS = new ConcurrentLinkedQueue<>();

    private final String url = "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @AfterEach
    void end() {
        EXECUTORS.forEach(WheelScheduledExecutor::shutdownNow);
        EXECUTORS.clear();
    }

    private ConfigurableApplicationContext start(
            @Nullable ConfigurableApplicationContext parent, Class<?>... configurations) {
        SpringApplicationBuilder application =
                new SpringApplicationBuilder(configurations).web(WebApplicationType.NONE);
        return (parent == null ? application : application.parent(parent)).run(url);
    }

    private void assertRefused(
            @Nullable ConfigurableApplicationContext parent, String annotation, Class<?>... configurations) {
        assertThatThrownBy(() -> start(parent, configurations).close())
                .hasStackTraceContaining("A method with " + annotation + " must be in the context of the "
                        + "auto-configured DurableEngine, but is not: ");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        final Queue<String> ran = new ConcurrentLinkedQueue<>();

        @DurableHandler("note")
        void note(String text) {
            ran.add(text);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Schedules {

        @Durable
        @Scheduled(fixedRate = 3_600_000)
        void tick() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class DisabledSchedules {

        @Durable
        @Scheduled(cron = "-")
        void tick() {}
    }

    private static DurableEngine engine(String node, DataSource dataSource) {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        EXECUTORS.add(executor);
        return new DurableEngine(
                DurableSettings.ofNode(node),
                executor,
                dataSource,
                JsonMapper.builder().build(),
                DurableObserver.NONE);
    }

    @Configuration(proxyBeanMethods = false)
    static class Another {
        @Bean
        DurableEngine another(DataSource dataSource) {
            return engine("another", dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AndAThird {
        @Bean
        DurableEngine third(DataSource dataSource) {
            return engine("third", dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beside {
        @Bean(defaultCandidate = false)
        DurableEngine beside(DataSource dataSource) {
            return engine("beside", dataSource);
        }
    }

    @Test
    void methodsOfAChildContextStopItsStart() {
        try (ConfigurableApplicationContext parent = start(null, Application.class)) {
            assertRefused(parent, "@DurableHandler", Application.class, Handlers.class);
            assertRefused(parent, "@Durable", Application.class, Schedules.class);
        }
    }

    @Test
    void childContextWithoutSuchMethodsStarts() {
        try (ConfigurableApplicationContext parent = start(null, Application.class, Handlers.class, Schedules.class);
                ConfigurableApplicationContext child = start(parent, Application.class, DisabledSchedules.class)) {
            assertThat(child.getBean(DurableTasks.class)).isSameAs(parent.getBean(DurableTasks.class));
        }
    }

    @Test
    void engineInPlaceOfOursTakesNoMethods() {
        assertRefused(null, "@DurableHandler", Application.class, Another.class, Handlers.class);
        assertRefused(null, "@Durable", Application.class, Another.class, Schedules.class);
    }

    @Test
    void engineThatIsNoCandidateLeavesOursInPlace() {
        try (ConfigurableApplicationContext context =
                start(null, Application.class, Beside.class, Handlers.class, Schedules.class)) {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            assertThat(tasks).isNotSameAs(context.getBean("beside"));
            assertThat(tasks.schedule("note", "1", "one", Instant.now())).isTrue();
            Handlers handlers = context.getBean(Handlers.class);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(handlers.ran).containsExactly("one"));
        }
    }

    @Test
    void twoEnginesOfTheApplicationStart() {
        try (ConfigurableApplicationContext context = start(null, Application.class, Another.class, AndAThird.class)) {
            assertThat(context.getBeansOfType(DurableEngine.class)).containsOnlyKeys("another", "third");
        }
    }
}
