package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.test.annotation.DirtiesContext;

/** Two test classes that share a context, as JUnit runs them side by side. */
class TestsSideBySideTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private static TestExecutionSummary run(boolean isParallel, Class<?>... tests) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(tests).map(DiscoverySelectors::selectClass).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "" + isParallel)
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }

    private static List<Throwable> failuresOf(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(TestExecutionSummary.Failure::getException)
                .toList();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void secondOneThatMovesTimeFailsAndNoRunIsLost() {
        Application.minutes.set(0);
        TestExecutionSummary summary = run(true, First.class, Second.class);
        assertThat(failuresOf(summary))
                .singleElement()
                .isInstanceOf(IllegalStateException.class)
                .asString()
                .contains("Tests that share a context must move its time one after the other, but Second.moves")
                .contains("while First.moves", "which has moved it or set its order, is going on", "@ResourceLock");
        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
        assertThat(Application.minutes).hasValue(120);
    }

    @Test
    void testsWithOneLockTakeTurns() {
        Application.minutes.set(0);
        TestExecutionSummary summary = run(true, FirstWithLock.class, SecondWithLock.class);
        assertThat(failuresOf(summary)).isEmpty();
        assertThat(Application.minutes).hasValue(2 * 5 * 60);
    }

    @Test
    void oneThatMovesNothingMayComeBesideARandomOrder() {
        TestExecutionSummary summary = run(true, FirstInRandomOrder.class, LooksOn.class);
        assertThat(failuresOf(summary)).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(2);
    }

    @Test
    void contextThatATestHasClosedIsNotMadeAgain() {
        Application.contexts.set(0);
        TestExecutionSummary summary = run(false, Closing.class);
        assertThat(failuresOf(summary)).isEmpty();
        assertThat(Application.contexts).hasValue(2);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        static final AtomicInteger contexts = new AtomicInteger();
        static final AtomicInteger minutes = new AtomicInteger();

        Application() {
            contexts.incrementAndGet();
        }

        @Scheduled(cron = "0 * * * * *")
        void everyMinute() {
            minutes.incrementAndGet();
        }
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime
    static class First {

        static CountDownLatch hasMoved = new CountDownLatch(1);
        static CountDownLatch otherIsOver = new CountDownLatch(1);

        @Test
        void moves(@Autowired VirtualTime time) throws Exception {
            time.advanceBy(HOUR);
            hasMoved.countDown();
            await(otherIsOver);
            time.advanceBy(HOUR);
        }
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime
    static class Second {

        @Test
        void moves(@Autowired VirtualTime time) throws Exception {
            await(First.hasMoved);
            time.advanceBy(HOUR);
        }

        @AfterAll
        static void isOver() {
            First.otherIsOver.countDown();
        }
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime
    @ResourceLock("time of Application")
    static class FirstWithLock {

        @RepeatedTest(5)
        void moves(@Autowired VirtualTime time) {
            time.advanceBy(HOUR);
        }
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime
    @ResourceLock("time of Application")
    static class SecondWithLock extends FirstWithLock {}

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    static class FirstInRandomOrder {

        static CountDownLatch hasMoved = new CountDownLatch(1);
        static CountDownLatch otherIsOver = new CountDownLatch(1);

        @Test
        void keepsItsSeed(@Autowired VirtualTime time) throws Exception {
            time.setRandomOrder(7);
            hasMoved.countDown();
            await(otherIsOver);
            assertThat(time.seed()).hasValue(7);
        }
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    static class LooksOn {

        @BeforeAll
        static void comesLater() throws Exception {
            await(FirstInRandomOrder.hasMoved);
        }

        @Test
        void looksOn(@Autowired VirtualTime time) {
            assertThat(time.seed()).hasValue(7);
        }

        @AfterAll
        static void isOver() {
            FirstInRandomOrder.otherIsOver.countDown();
        }
    }

    /** Its annotations are in the order in which our extension hears of the end after the context is closed. */
    @AutoConfigureVirtualTime
    @SpringBootTest(classes = Application.class, properties = "of = its own")
    @DirtiesContext(classMode = DirtiesContext.ClassMode.AFTER_EACH_TEST_METHOD)
    static class Closing {

        @RepeatedTest(2)
        void moves(@Autowired VirtualTime time) {
            time.advanceBy(HOUR);
        }
    }
}
