package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class VirtualTimeExtensionTest {

    /** Runs the tests of a class that the build leaves alone, and returns what its tests failed with. */
    private static List<String> failuresOf(Class<?> tests) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(tests))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        return summary.getSummary().getFailures().stream()
                .map(failure -> String.valueOf(failure.getException()))
                .toList();
    }

    @Nested
    @ExtendWith(VirtualTimeExtension.class)
    class InTheConstructor {

        private final VirtualTime time;
        private final WheelTaskScheduler scheduler;
        private @org.jspecify.annotations.Nullable VirtualTime before;

        InTheConstructor(VirtualTime time) {
            this.time = time;
            this.scheduler = time.newScheduler();
        }

        @BeforeEach
        void takeTime(VirtualTime own) {
            before = own;
        }

        @RepeatedTest(2)
        void timeIsThatOfTheTest(VirtualTime own) {
            assertThat(own).isSameAs(time).isSameAs(before);
            assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START);
            time.advanceBy(Duration.ofHours(1));
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        void timeIsThatOfTheInvocation(int number, VirtualTime own) {
            assertThat(own.now()).as("%s", number).isEqualTo(VirtualTime.DEFAULT_START);
            time.advanceBy(Duration.ofHours(1));
        }

        @AfterEach
        void timeIsClosedLater(VirtualTime own) {
            assertThat(own).isSameAs(time);
            assertThat(scheduler.getWheelScheduledExecutor().isShutdown()).isFalse();
        }
    }

    @Nested
    class OfAnotherStart {

        @RegisterExtension
        static final VirtualTimeExtension BERLIN =
                VirtualTimeExtension.startingAt(Instant.parse("2031-03-30T00:00:00Z"), ZoneId.of("Europe/Berlin"));

        @Test
        void timeStartsThere(VirtualTime time) {
            assertThat(time.now()).isEqualTo(Instant.parse("2031-03-30T00:00:00Z"));
            assertThat(time.clock().getZone()).isEqualTo(ZoneId.of("Europe/Berlin"));
        }
    }

    @Test
    void oneTimeForAllTestsOfAClassIsRefused() {
        assertThat(failuresOf(PerClass.class))
                .singleElement()
                .asString()
                .contains("A VirtualTime must be a parameter of a test, of @BeforeEach or @AfterEach")
                .contains("or of a constructor without Lifecycle.PER_CLASS");
        assertThat(PerClass.runs).hasValue(0);
    }

    @Test
    void testsOfOneInstanceHaveATimeEachAsParameters() {
        assertThat(failuresOf(PerClassWithParameters.class)).isEmpty();
        assertThat(PerClassWithParameters.times.distinct()).hasSize(2);
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @ExtendWith(VirtualTimeExtension.class)
    static class PerClass {

        static final AtomicInteger runs = new AtomicInteger();

        PerClass(VirtualTime time) {
            assertThat(time).isNotNull();
        }

        @Test
        void runs() {
            runs.incrementAndGet();
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @ExtendWith(VirtualTimeExtension.class)
    static class PerClassWithParameters {

        static Stream<VirtualTime> times = Stream.empty();

        @RepeatedTest(2)
        void takesTime(VirtualTime time) {
            times = Stream.concat(times, Stream.of(time));
        }
    }
}
