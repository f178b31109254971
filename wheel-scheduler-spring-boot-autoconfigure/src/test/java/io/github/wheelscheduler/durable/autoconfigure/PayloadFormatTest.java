package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.PayloadFormat;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Rows outlast the settings that the web API of an application has for its JSON. */
class PayloadFormatTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Order ORDER = new Order(
            "4711",
            3,
            ZonedDateTime.parse("2026-11-27T10:00+01:00[Europe/Berlin]"),
            Map.of("price", new BigDecimal("1.10")));

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    record Order(String orderId, int itemCount, ZonedDateTime orderedAt, Map<String, Object> prices) {}

    static class Orders {
        final Queue<Order> seen = new ConcurrentLinkedQueue<>();

        @DurableHandler("order")
        void see(Order order) {
            seen.add(order);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOrders {
        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithSnakeFormat {
        @Bean
        PayloadFormat snake() {
            return PayloadFormat.of(
                    "snake",
                    JsonMapper.builder()
                            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                            .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAnotherFormat {
        @Bean
        PayloadFormat another() {
            return PayloadFormat.of("another", JsonMapper.builder().build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithPrimaryFormat {
        @Bean
        @Primary
        PayloadFormat primary() {
            return PayloadFormat.of("primary", JsonMapper.builder().build());
        }
    }

    private void scheduleYesterday(ApplicationContextRunner yesterday, Order order) {
        yesterday
                .withPropertyValues("wheel.scheduler.durable.enabled=false")
                .run(context -> assertThat(
                                context.getBean(DurableTasks.class).schedule("order", "1", order, Instant.now()))
                        .isTrue());
    }

    private void assertRunsToday(ApplicationContextRunner today, Order order) {
        today.withUserConfiguration(WithOrders.class)
                .run(context -> await().atMost(PATIENCE)
                        .untilAsserted(() ->
                                assertThat(context.getBean(Orders.class).seen).containsExactly(order)));
    }

    @Test
    void propertiesOfTheWebChangeNoRow() {
        scheduleYesterday(runner, ORDER);
        assertRunsToday(
                runner.withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE",
                        "spring.jackson.time-zone=America/New_York",
                        "spring.jackson.deserialization.fail-on-unknown-properties=true"),
                ORDER);
    }

    @Test
    void propertiesOfTheWebChangeNoPayloadThatIsWritten() {
        scheduleYesterday(
                runner.withUserConfiguration(WithOrders.class)
                        .withPropertyValues(
                                "spring.jackson.property-naming-strategy=SNAKE_CASE",
                                "spring.jackson.serialization.indent-output=true",
                                "spring.jackson.default-property-inclusion=non_empty"),
                ORDER);
        assertRunsToday(runner, ORDER);
    }

    @Test
    void formatOfTheApplicationReplacesTheStandardOne() {
        Order plain = new Order("4711", 3, null, null);
        ApplicationContextRunner snake = runner.withUserConfiguration(WithSnakeFormat.class);
        scheduleYesterday(snake, plain);
        snake.withPropertyValues("wheel.scheduler.durable.enabled=false")
                .run(context -> assertThat(new String(
                                new JdbcTemplate(context.getBean(javax.sql.DataSource.class))
                                        .queryForObject("select task_data from wheel_durable_task", byte[].class),
                                StandardCharsets.UTF_8))
                        .startsWith("\u0001snake\u0002{")
                        .contains("order_id"));
        assertRunsToday(snake, plain);
    }

    @Test
    void rowsOfTheStandardFormatOutlastIt() {
        scheduleYesterday(runner, ORDER);
        assertRunsToday(runner.withUserConfiguration(WithSnakeFormat.class), ORDER);
    }

    @Test
    void primaryFormatWritesAndOthersAreRead() {
        Order plain = new Order("4711", 3, null, null);
        ApplicationContextRunner snake = runner.withUserConfiguration(WithSnakeFormat.class);
        scheduleYesterday(snake, plain);
        assertRunsToday(snake.withUserConfiguration(WithPrimaryFormat.class), plain);
        snake.withUserConfiguration(WithAnotherFormat.class)
                .run(context ->
                        assertThat(context).getFailure().hasRootCauseInstanceOf(NoUniqueBeanDefinitionException.class));
    }
}
