package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.test.TestingYourApplicationTest.Application;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.MethodMode;

/** A failure in a random order names the seed of its test, wherever the annotation is and the failure comes from. */
class SeedOfFailuresTest {

    /** The seeds with which tests have failed, in their order. */
    private static final List<Long> seeds = new CopyOnWriteArrayList<>();

    private static void failIn(VirtualTime time) {
        seeds.add(time.seed().orElseThrow());
        throw new AssertionError("meant");
    }

    /** Runs the tests of a class, all of which fail twice, and requires that each failure names its own seed. */
    private static void assertNamed(Class<?> tests) {
        seeds.clear();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(tests))
                                .build(),
                        listener);
        List<Throwable> failures = listener.getSummary().getFailures().stream()
                .map(TestExecutionSummary.Failure::getException)
                .toList();
        assertThat(seeds).hasSize(2).doesNotHaveDuplicates();
        assertThat(failures).hasSize(2);
        for (int i = 0; i < 2; i++) {
            assertThat(failures.get(i)).hasMessage("meant");
            assertThat(failures.get(i).getSuppressed())
                    .singleElement()
                    .asString()
                    .contains("setRandomOrder(" + seeds.get(i) + "L)");
        }
    }

    @Test
    void failureOfTestNamesIt() {
        assertNamed(InTest.class);
    }

    @Test
    void failureBeforeTestNamesIt() {
        assertNamed(BeforeTest.class);
    }

    @Test
    void failureAfterTestNamesIt() {
        assertNamed(AfterTest.class);
    }

    @Test
    void failureNamesItByConfiguration() {
        assertNamed(ByConfiguration.class);
    }

    @Test
    void failureInANewContextNamesIt() {
        assertNamed(InNewContext.class);
    }

    @Test
    void failureBeforeTestNamesItWithoutSpring() {
        assertNamed(BeforeTestWithoutSpring.class);
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    static class InTest {

        @RepeatedTest(2)
        void fails(@Autowired VirtualTime time) {
            failIn(time);
        }
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    static class BeforeTest {

        @BeforeEach
        void fails(@Autowired VirtualTime time) {
            failIn(time);
        }

        @RepeatedTest(2)
        void passes() {}
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    static class AfterTest {

        @RepeatedTest(2)
        void passes() {}

        @AfterEach
        void fails(@Autowired VirtualTime time) {
            failIn(time);
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    static class InRandomOrder {}

    @SpringBootTest(classes = {Application.class, InRandomOrder.class})
    static class ByConfiguration {

        @RepeatedTest(2)
        void fails(@Autowired VirtualTime time) {
            failIn(time);
        }
    }

    /** Its annotations are in the order in which our extension begins a test before the context is closed. */
    @AutoConfigureVirtualTime(order = RunOrder.RANDOM)
    @SpringBootTest(classes = Application.class, properties = "of = its own")
    static class InNewContext {

        @RepeatedTest(2)
        @DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
        void fails(@Autowired VirtualTime time) {
            failIn(time);
        }
    }

    @ExtendWith(VirtualTimeExtension.class)
    static class BeforeTestWithoutSpring {

        @BeforeEach
        void fails(VirtualTime time) {
            time.setOrder(RunOrder.RANDOM);
            failIn(time);
        }

        @RepeatedTest(2)
        void passes() {}
    }
}
