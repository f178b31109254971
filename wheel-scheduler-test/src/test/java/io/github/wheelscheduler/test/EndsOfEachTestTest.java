package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.test.DurableAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.MethodMode;
import org.springframework.test.context.transaction.BeforeTransaction;
import org.springframework.transaction.annotation.Transactional;

/** Tests that share a context, each of which sees its own ends of durable tasks. */
class EndsOfEachTestTest {

    private static final long SLOW_NANOS = 100_000_000;

    private static TestExecutionSummary run(boolean isParallel, Class<?>... tests) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Stream.of(tests)
                                        .map(DiscoverySelectors::selectClass)
                                        .toList())
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "" + isParallel)
                                .configurationParameter(
                                        "junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                                .configurationParameter(
                                        "junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                                .build(),
                        listener);
        return listener.getSummary();
    }

    private static void assertSuccess(TestExecutionSummary summary, int tests) {
        assertThat(summary.getFailures())
                .extracting(failure -> failure.getException().toString())
                .isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(tests);
    }

    @Test
    void testsSeeTheirOwnEnds() {
        assertSuccess(run(false, InOrder.class), 7);
    }

    @Test
    void testsOfConfigurationSeeTheirOwnEnds() {
        assertSuccess(run(false, ByConfiguration.class), 4);
    }

    @Test
    void testsSeeEndsBeforeTheirTransaction() {
        assertSuccess(run(false, ListenerFirst.class, ExtensionFirst.class), 4);
    }

    @Test
    void testSeesNoEndOfLastCancellation() {
        assertSuccess(run(false, CancelsAfterwards.class), 3);
    }

    @Test
    void testsSideBySideSeeTheirOwnEnds() {
        assertSuccess(run(true, Moves.class, LooksOn.class), 2);
    }

    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource() {
            return TestDatabase.H2.newDataSource();
        }

        @Bean
        DataSourceTransactionManager transactionManager(HikariDataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        Handlers handlers() {
            return new Handlers();
        }
    }

    static class Handlers {

        @DurableHandler("note")
        void note(String ignored) {}
    }

    @SpringBootTest(
            classes = Application.class,
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    @AutoConfigureVirtualTime
    abstract static class Base extends Verbs {}

    @TestConfiguration(proxyBeanMethods = false)
    @AutoConfigureVirtualTime
    static class InVirtualTime {}

    @SpringBootTest(
            classes = {Application.class, InVirtualTime.class},
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    static class ByConfiguration extends Verbs {

        @RepeatedTest(2)
        void commits() {
            seeOwnEndsOnly();
        }

        @RepeatedTest(2)
        @Transactional
        void runsInTransaction() {
            seeOwnEndsOnly();
        }
    }

    abstract static class PreparesBeforeTransaction extends Verbs {

        @BeforeTransaction
        void runBefore() {
            runOne("0");
        }

        @RepeatedTest(2)
        @Transactional
        void seesEndsOfItsPreparation() {
            assertThat(runs).ran("note").withId("0").times(1);
            assertThat(runs.ends()).hasSize(1);
        }
    }

    @SpringBootTest(
            classes = Application.class,
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    @AutoConfigureVirtualTime
    static class ListenerFirst extends PreparesBeforeTransaction {}

    @AutoConfigureVirtualTime
    @SpringBootTest(
            classes = Application.class,
            properties = {"spring.autoconfigure.exclude=", "wheel.scheduler.durable.initialize-schema=always"})
    static class ExtensionFirst extends PreparesBeforeTransaction {}

    static class CancelsAfterwards extends Base {

        @RepeatedTest(3)
        void seesNoEndOfTestBefore() {
            assertThat(runs.ends()).isEmpty();
            // The second end waits for the first one to be taken in.
            tasks.listen(end -> LockSupport.parkNanos(SLOW_NANOS));
            for (String id : List.of("1", "2")) {
                assertThat(tasks.schedule("note", id, id, Duration.ofDays(1))).isTrue();
            }
        }

        @AfterEach
        void cancel() {
            assertThat(tasks.cancel("note", "1")).isTrue();
            assertThat(tasks.cancel("note", "2")).isTrue();
        }
    }

    abstract static class Verbs {

        @Autowired
        VirtualTime time;

        @Autowired
        DurableTime durable;

        @Autowired
        DurableEngine tasks;

        @Autowired
        DurableRuns runs;

        void runOne(String id) {
            assertThat(tasks.schedule("note", id, id, time.now())).isTrue();
            assertThat(durable.runDue()).ran("note").withId(id).times(1);
        }

        /** As each test does it. */
        void seeOwnEndsOnly() {
            assertThat(runs).nothingRan();
            assertThat(runs.ends()).isEmpty();
            assertThatThrownBy(() -> assertThat(runs).ran("note")).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> durable.awaitEnd("note", "1", Duration.ofSeconds(1)))
                    .isInstanceOf(AssertionError.class);
            runOne("1");
            assertThat(runs).ran("note").withId("1").times(1);
            assertThat(durable.awaitEnd("note", "1", Duration.ZERO).attempt()).isEqualTo(1);
        }
    }

    @TestMethodOrder(OrderAnnotation.class)
    static class InOrder extends Base {

        @RepeatedTest(2)
        @Order(1)
        void commits() {
            seeOwnEndsOnly();
        }

        @Test
        @Order(2)
        @Transactional
        void runsInTransaction() {
            seeOwnEndsOnly();
        }

        @Test
        @Order(3)
        @DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
        void hasANewContext() {
            seeOwnEndsOnly();
        }

        @Test
        @Order(4)
        @DirtiesContext
        void endsItsContext() {
            seeOwnEndsOnly();
        }

        @Test
        @Order(5)
        void isAskedOnAnotherThread() throws InterruptedException, ExecutionException {
            seeOwnEndsOnly();
            FutureTask<List<?>> look = new FutureTask<>(() -> runs.ends());
            new Thread(look).start();
            assertThat(look.get()).hasSize(1);
        }

        @Nested
        class Within {

            @BeforeEach
            void runBefore() {
                assertThat(runs).nothingRan();
                runOne("0");
            }

            @Test
            void seesEndsOfItsPreparation() {
                assertThat(runs).ran("note").withId("0").times(1);
                assertThat(runs.ends()).hasSize(1);
            }
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    }

    static class Moves extends Base {

        static final CountDownLatch HAS_RUN = new CountDownLatch(1);
        static final CountDownLatch OTHER_HAS_BEGUN = new CountDownLatch(1);

        @Test
        void seesItsEndThoughAnotherTestHasBegun() throws InterruptedException {
            runOne("moved");
            HAS_RUN.countDown();
            await(OTHER_HAS_BEGUN);
            assertThat(runs).ran("note").withId("moved").times(1);
        }
    }

    static class LooksOn extends Base {

        @BeforeEach
        void begin() throws InterruptedException {
            Moves.OTHER_HAS_BEGUN.countDown();
            await(Moves.HAS_RUN);
        }

        @Test
        void looksOn() {
            assertThat(runs.during(() -> {})).nothingRan();
        }
    }
}
