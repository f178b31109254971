package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** What keeps durable tasks from working stops the application with a text that says what to do. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {

    private static final String WITHOUT_BOOTS_DATA_SOURCE =
            "--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    /** With what durable tasks need only, as it is started many times. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class,
        TimerWheelAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class,
        DurableAutoConfiguration.class
    })
    @EnableScheduling
    static class Application {}

    /** With everything that Boot finds on the class path. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class WithAllOfBoot {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutScheduling {}

    private static void failToStart(Class<?> configuration, String... arguments) {
        failToStart(new SpringApplicationBuilder(Application.class, configuration), arguments);
    }

    private static void failToStart(SpringApplicationBuilder builder, String... arguments) {
        assertThatException()
                .isThrownBy(() ->
                        builder.web(WebApplicationType.NONE).run(arguments).close());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            table          | a b      | must be up to 40 letters, digits and _, perhaps after a schema and a dot
            node           | ''       | must have 1 to 50 characters
            max-concurrent | 0        | must be at least 1
            max-claimed    | -1       | must be at least 1
            claim-ahead    | 99ms     | must be 100 ms to 1 minute
            claim-ahead    | 61s      | must be 100 ms to 1 minute
            heartbeat      | 1ms      | must be 100 ms to 1 minute
            heartbeat      | 2m       | must be 100 ms to 1 minute
            dead-after     | 5999ms   | must be at least four heartbeats, which are PT6S
            dead-after     | 25h      | must be at most 1 day
            close-limit    | -1s      | must not be negative
            close-limit    | 200000d  | must be at most 1 day
            forget-after   | 59s      | must be at least 1 minute
            forget-after   | 2000000d | must be at most 3650 days
            """)
    void textNamesPropertyValueAndRule(String name, String value, String rule, CapturedOutput output) {
        String property = "wheel.scheduler.durable." + name;
        failToStart(Application.class, "--" + property + "=" + value);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The property '%s' is '%s' (from ".formatted(property, value))
                .contains("but it " + rule)
                .contains("Set '%s' to a valid value, for example %s=".formatted(property, property));
    }

    @Test
    void defaultThatAnotherSettingMakesUnusableIsCalledOne(CapturedOutput output) {
        failToStart(WithAllOfBoot.class, "--wheel.scheduler.durable.heartbeat=10s");
        assertThat(output)
                .contains("The property 'wheel.scheduler.durable.dead-after' is 'PT6S' (the default), "
                        + "but it must be at least four heartbeats, which are PT40S.")
                .contains("for example wheel.scheduler.durable.dead-after=PT40S");
    }

    @Test
    void valueOfAnotherTypeKeepsBootsOwnText(CapturedOutput output) {
        failToStart(Application.class, "--wheel.scheduler.durable.initialize-schema=perhaps");
        assertThat(output)
                .contains("Failed to bind properties under 'wheel.scheduler.durable.initialize-schema'")
                .contains("Value: \"perhaps\"");
    }

    // The database

    private static DataSource newDataSource() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    /** Calls itself Oracle. */
    private static final class OtherProduct extends DelegatingDataSource {

        OtherProduct() {
            super(newDataSource());
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            DatabaseMetaData metaData = connection.getMetaData();
            return proxy(
                    Connection.class,
                    connection,
                    "getMetaData",
                    proxy(DatabaseMetaData.class, metaData, "getDatabaseProductName", "Oracle"));
        }

        private static <T> T proxy(Class<T> type, T target, String method, Object answer) {
            return type.cast(Proxy.newProxyInstance(
                    FailureAnalysisTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
                        try {
                            return called.getName().equals(method) ? answer : called.invoke(target, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getTargetException();
                        }
                    }));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOtherProduct {
        @Bean
        DataSource dataSource() {
            return new OtherProduct();
        }
    }

    @Test
    void databaseThatRowsCannotBeClaimedIn(CapturedOutput output) {
        failToStart(WithOtherProduct.class, "--wheel.scheduler.history.enabled=false");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("for durable tasks, was Oracle.")
                .contains("give the application a second DataSource for it, with @DurableDataSource.");
    }

    @Test
    void noDataSource(CapturedOutput output) {
        failToStart(Application.class, WITHOUT_BOOTS_DATA_SOURCE);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("There must be a DataSource for durable tasks, but there is none.")
                .contains("Add spring-boot-starter-jdbc and a driver: org.postgresql:postgresql")
                .contains("com.h2database:h2");
    }

    @Test
    void missingDataSourceIsExplainedByBoot(CapturedOutput output) {
        failToStart(new SpringApplicationBuilder(WithAllOfBoot.class)
                .resourceLoader(new DefaultResourceLoader(new FilteredClassLoader("org.h2"))));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Failed to configure a DataSource")
                .contains("If you want an embedded database (H2, HSQL or Derby), please put it on the classpath.");
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTwoDataSources {
        @Bean
        DataSource first() {
            return newDataSource();
        }

        @Bean
        DataSource second() {
            return newDataSource();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTwoMarkedDataSources {
        @Bean
        @DurableDataSource
        DataSource first() {
            return newDataSource();
        }

        @Bean
        @DurableDataSource
        DataSource second() {
            return newDataSource();
        }
    }

    @Test
    void severalDataSourcesOfWhichNoneIsPrimary(CapturedOutput output) {
        failToStart(WithTwoDataSources.class);
        assertThat(output)
                .contains("The DataSource for durable tasks must be clear, "
                        + "but none of them is the only or the primary one: first, second.")
                .contains("Mark the DataSource of the durable tasks, and no other, with @DurableDataSource");
    }

    @Test
    void severalDataSourcesThatAreMarked(CapturedOutput output) {
        failToStart(WithTwoMarkedDataSources.class);
        assertThat(output).contains("but several have @DurableDataSource: first, second.");
    }

    // Methods with @Durable

    static class TwoOfOneId {
        @Durable("nightly")
        @Scheduled(cron = "0 0 3 * * *")
        void first() {}

        @Durable("nightly")
        @Scheduled(cron = "0 0 4 * * *")
        void second() {}
    }

    @Test
    void twoSchedulesWithOneId(CapturedOutput output) {
        failToStart(TwoOfOneId.class);
        assertThat(output)
                .contains("A schedule with @Durable must have an id of its own, there are two 'nightly': ")
                .contains("TwoOfOneId.first()", "TwoOfOneId.second()")
                .contains("Give each an id of its own with @Durable(\"...\")");
    }

    static class Published {
        @Durable
        @Scheduled(fixedRate = 1_000)
        Flow.Publisher<String> publish() {
            return subscriber -> {};
        }
    }

    static class Nightly {
        @Durable
        @Scheduled(cron = "0 0 3 * * *")
        void run() {}
    }

    static class Once {
        @Durable
        @Scheduled(initialDelay = 1_000)
        void once() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OnAnotherScheduler {
        @Bean
        Nightly nightly() {
            return new Nightly();
        }

        @Bean
        TaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @Test
    void scheduleThatReturnsAPublisher(CapturedOutput output) {
        failToStart(Published.class);
        assertThat(output)
                .contains("A method with @Durable must have ended when it returns, "
                        + "but returns a java.util.concurrent.Flow$Publisher: ")
                .contains("Published.publish()", "Let the method do its work itself");
    }

    @Test
    void scheduleOfAnotherScheduler(CapturedOutput output) {
        failToStart(OnAnotherScheduler.class);
        assertThat(output)
                .contains("A method with @Durable must be scheduled by a scheduler on the wheel, but is not: ")
                .contains("Nightly.run()", "Put @EnableScheduling on a configuration");
    }

    @Test
    void scheduleWhereSchedulingIsOff(CapturedOutput output) {
        failToStart(new SpringApplicationBuilder(WithoutScheduling.class, Nightly.class));
        assertThat(output)
                .contains("A method with @Durable must be scheduled by a scheduler on the wheel, but is not: ")
                .contains("Nightly.run()", "Put @EnableScheduling on a configuration");
    }

    @Test
    void scheduleThatRunsOnce(CapturedOutput output) {
        failToStart(Once.class);
        assertThat(output)
                .contains("A durable schedule must be a cron expression, a fixed rate or a fixed delay, was ")
                .contains("Once.once()", "Give @Scheduled a cron, fixedRate or fixedDelay.");
    }

    // Methods with @DurableHandler

    static class Transactional {
        @DurableHandler(value = "pay", transactional = true)
        void pay() {}
    }

    @Test
    void transactionalHandlerNeedsATransactionManager(CapturedOutput output) {
        failToStart(
                Transactional.class,
                "--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure"
                        + ".DataSourceTransactionManagerAutoConfiguration");
        assertThat(output)
                .contains("A transactional @DurableHandler must have one PlatformTransactionManager for the DataSource "
                        + "of durable tasks, but there is none")
                .contains("Transactional.pay()", "Define a JdbcTransactionManager with that DataSource as a bean");
    }

    static class TwoParameters {
        @DurableHandler("two")
        @SuppressWarnings("unused") // on purpose
        void two(String one, String two) {}
    }

    static class PrimitiveParameter {
        @DurableHandler("primitive")
        @SuppressWarnings("unused") // on purpose
        void primitive(int one) {}
    }

    static class UnknownParameter<T> {
        @DurableHandler("unknown")
        @SuppressWarnings("unused") // on purpose
        void unknown(T one) {}
    }

    static class BadRetries {
        @DurableHandler(value = "retries", maxRetries = -1)
        void retry() {}
    }

    static class ReturnsFuture {
        @DurableHandler("future")
        CompletableFuture<Void> later() {
            return new CompletableFuture<>();
        }
    }

    static class TwoOfOneName {
        @DurableHandler("invoice")
        void first() {}

        @DurableHandler("invoice")
        void second() {}
    }

    static class BadName {
        @DurableHandler("recurring:x")
        void run() {}
    }

    @Test
    void handlerWithTwoParameters(CapturedOutput output) {
        failToStart(TwoParameters.class);
        assertThat(output)
                .contains(
                        "A method with @DurableHandler must have one parameter at most, the payload, and a DurableRun "
                                + "behind it, but ")
                .contains("TwoParameters.two(", "has 2.", "Let the method have one parameter whose class is known");
    }

    @Test
    void handlerOfAPrimitive(CapturedOutput output) {
        failToStart(PrimitiveParameter.class);
        assertThat(output)
                .contains("may be null, so its type must not be primitive, but is in ")
                .contains("PrimitiveParameter.primitive(int)");
    }

    @Test
    void handlerOfWhoKnowsWhat(CapturedOutput output) {
        failToStart(UnknownParameter.class);
        assertThat(output)
                .contains("The type of the payload must be known, without type variables and wildcards, but is not in ")
                .contains("UnknownParameter.unknown(");
    }

    @Test
    void handlerWithRetriesThatDoNotFit(CapturedOutput output) {
        failToStart(BadRetries.class);
        assertThat(output)
                .contains("BadRetries.retry() cannot be used: maxRetries must be at least 0, was -1.")
                .contains("Give maxRetries, backOff and maxBackOff values that fit");
    }

    @Test
    void handlerThatReturnsAFuture(CapturedOutput output) {
        failToStart(ReturnsFuture.class);
        assertThat(output)
                .contains("A method with @DurableHandler must have ended when it returns, "
                        + "but returns a java.util.concurrent.CompletableFuture: ")
                .contains("ReturnsFuture.later()");
    }

    @Test
    void twoHandlersOfOneName(CapturedOutput output) {
        failToStart(TwoOfOneName.class);
        assertThat(output)
                .contains("A durable handler must have a name of its own, there are two 'invoice'.")
                .contains("TwoOfOneName.first()", "TwoOfOneName.second()")
                .contains("Give each handler a name of its own");
    }

    @Test
    void handlerWithANameThatDoesNotFit(CapturedOutput output) {
        failToStart(BadName.class);
        assertThat(output)
                .contains("handler must not begin with recurring:, was 'recurring:x'.")
                .contains("BadName.run()");
    }

    // Methods that are asynchronous

    static class AsyncSchedule {
        @Async
        @Durable
        @Scheduled(fixedRate = 1_000)
        public void tick() {}
    }

    @Async
    static class AsyncScheduleClass {
        @Durable
        @Scheduled(fixedRate = 1_000)
        public void tick() {}
    }

    static class AsyncHandler {
        @Async
        @DurableHandler("async")
        public void handle() {}
    }

    @Async
    static class AsyncHandlerBase {}

    static class AsyncHandlerClass extends AsyncHandlerBase {
        @DurableHandler("async")
        public void handle() {}
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            AsyncSchedule      | @Durable        | has @Async
            AsyncScheduleClass | @Durable        | its class has @Async
            AsyncHandler       | @DurableHandler | has @Async
            AsyncHandlerClass  | @DurableHandler | its class has @Async
            """)
    void methodThatIsAsynchronous(String type, String annotation, String reason, CapturedOutput output)
            throws ClassNotFoundException {
        failToStart(Class.forName(FailureAnalysisTest.class.getName() + "$" + type));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("A method with %s must have ended when it returns, but %s: ".formatted(annotation, reason))
                .contains(type)
                .contains(EarlyReturn.ACTION);
    }
}
