package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.test.TestingYourApplicationTest.Application;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A test that moves time although nothing lives in it would be green, no matter what the application does. */
class NothingDrivenTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private static void assertFails(VirtualTime time) {
        for (Runnable verb : new Runnable[] {
            () -> time.advanceBy(HOUR),
            () -> time.advanceTo(time.now().plus(HOUR)),
            time::runCurrent,
            time::advanceToNext,
            () -> time.advanceUntil(() -> true, HOUR),
            () -> time.advanceUntilIdle(HOUR),
            () -> time.suspend(HOUR)
        }) {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(verb::run)
                    .withMessageContaining("must move a scheduler, but none uses this time")
                    .withMessageContaining("wheel.scheduler.enabled")
                    .withMessageContaining("@EnableScheduling")
                    .withMessageContaining("another TaskScheduler");
        }
        assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START);
    }

    @Test
    void timeOfAGroupAloneFails() {
        try (VirtualTime time = VirtualTime.create();
                WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                        .timeSource(time.timeSource())
                        .wallClock(time.clock())
                        .build()) {
            time.drive(executor.newGroup("group").build());
            assertFails(time);
            time.drive(executor);
            time.advanceBy(HOUR);
        }
    }

    @Test
    void timeWithoutASchedulerFailsUnlessClockOnly() {
        try (VirtualTime time = VirtualTime.create()) {
            assertFails(time);
            WheelTaskScheduler scheduler = new WheelTaskScheduler();
            time.drive(scheduler);
            assertFails(time);
            time.setClockOnly(true);
            time.advanceBy(HOUR);
            assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(HOUR));
            assertThat(time.advanceToNext()).isFalse();
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class, properties = "wheel.scheduler.enabled=false")
    @AutoConfigureVirtualTime
    class ThatIsNotEnabled {

        @Test
        void failsAndSaysWhy(@Autowired VirtualTime time) {
            assertFails(time);
        }
    }

    @Nested
    @SpringBootTest(classes = NothingDrivenTest.WithoutScheduling.class)
    @AutoConfigureVirtualTime
    class WithoutEnableScheduling {

        @Test
        void failsAndSaysWhy(@Autowired VirtualTime time) {
            assertFails(time);
        }
    }

    @Nested
    @SpringBootTest(classes = NothingDrivenTest.WithAnother.class)
    @AutoConfigureVirtualTime
    class WithAnotherScheduler {

        @Test
        void failsAndSaysWhy(@Autowired VirtualTime time) {
            assertFails(time);
        }
    }

    @Nested
    @SpringBootTest(classes = NothingDrivenTest.WithoutScheduling.class)
    @AutoConfigureVirtualTime(clockOnly = true)
    class OfTheClockAlone {

        @Test
        void passes(@Autowired VirtualTime time) {
            time.advanceBy(HOUR);
            assertThat(time.now()).isEqualTo(VirtualTime.DEFAULT_START.plus(HOUR));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithoutScheduling {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class WithAnother {

        @Bean
        TaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }
}
