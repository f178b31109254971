package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.Scale;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

@SpringBootTest
@AutoConfigureVirtualTime(start = "2030-03-30T23:00:00Z", zone = "Europe/Berlin")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AutoConfigureVirtualTimeTest {

    @Autowired
    VirtualTime time;

    @Autowired
    Clock clock;

    @Autowired
    Tasks tasks;

    @Autowired
    WheelTaskScheduler scheduler;

    @Test
    @Order(1)
    void nothingRunsBeforeTimeIsMoved() {
        assertThat(tasks.beats).isEmpty();
        assertThat(clock).isSameAs(time.clock());
        assertThat(scheduler.getMode()).isEqualTo(SchedulerMode.RUN);
        assertThat(time.now()).isEqualTo(Instant.parse("2030-03-30T23:00:00Z"));
    }

    @Test
    @Order(2)
    void scheduledMethodsRunWhenDueOnTheVirtualClock() {
        time.advanceBy(Duration.ofMinutes(30));
        assertThat(tasks.beats).hasSize(4).last().isEqualTo(Instant.parse("2030-03-30T23:30:00Z"));
    }

    @Test
    @Order(3)
    void dayOfTheSpringChangeHasTwentyThreeHours() {
        time.advanceTo(Instant.parse("2030-04-01T22:00:00Z"));
        assertThat(tasks.mornings)
                .containsExactly(Instant.parse("2030-03-31T04:00:00Z"), Instant.parse("2030-04-01T04:00:00Z"));
    }

    /** A week of a cron every minute, on the real engine; a year with {@code -Pfull}. */
    @Test
    @Order(4)
    void manyMinutesTakeSeconds() {
        int days = Scale.of(7, 365, 365);
        long before = tasks.minutes.get();
        long startNanos = System.nanoTime();
        time.advanceBy(Duration.ofDays(days));
        Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
        System.out.printf(
                "%d days of a cron every minute, %,d runs, took %s%n", days, tasks.minutes.get() - before, took);
        assertThat(tasks.minutes.get() - before).isEqualTo(days * 1_440L);
    }

    /** Methods of beans that also do what the context does after them. */
    @AutoConfigureVirtualTime
    static class EagerSchedulers {

        @Bean(defaultCandidate = false)
        WheelTaskScheduler driven(VirtualTime time) {
            WheelTaskScheduler scheduler = new WheelTaskScheduler();
            time.drive(scheduler);
            return scheduler;
        }

        @Bean(defaultCandidate = false)
        WheelTaskScheduler initialized() {
            WheelTaskScheduler scheduler = new WheelTaskScheduler();
            scheduler.initialize();
            return scheduler;
        }
    }

    @Test
    void schedulersOfEagerMethodsAreDrivenOnce() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(EagerSchedulers.class)) {
            VirtualTime own = context.getBean(VirtualTime.class);
            List<String> runs = new CopyOnWriteArrayList<>();
            for (String name : List.of("driven", "initialized")) {
                ScheduledFuture<?> ignored = context.getBean(name, WheelTaskScheduler.class)
                        .schedule(() -> runs.add(name), own.now().plusSeconds(1));
            }
            own.advanceBy(Duration.ofSeconds(1));
            assertThat(runs).containsExactly("driven", "initialized");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        @Bean
        Clock applicationClock() {
            return Clock.systemUTC();
        }

        @Bean
        Tasks tasks(Clock clock) {
            return new Tasks(clock);
        }
    }

    static class Tasks {

        final List<Instant> beats = new CopyOnWriteArrayList<>();
        final List<Instant> mornings = new CopyOnWriteArrayList<>();
        final AtomicLong minutes = new AtomicLong();
        private final Clock clock;

        Tasks(Clock clock) {
            this.clock = clock;
        }

        @Scheduled(fixedRate = 600_000)
        void beat() {
            if (beats.size() < 100) {
                beats.add(clock.instant());
            }
        }

        @Scheduled(cron = "0 0 6 * * *")
        void morning() {
            mornings.add(clock.instant());
        }

        @Scheduled(cron = "0 * * * * *")
        void minute() {
            minutes.incrementAndGet();
        }
    }
}
