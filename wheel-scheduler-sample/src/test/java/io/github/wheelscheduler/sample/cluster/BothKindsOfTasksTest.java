package io.github.wheelscheduler.sample.cluster;

import static io.github.wheelscheduler.test.DurableAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.test.AutoConfigureVirtualTime;
import io.github.wheelscheduler.test.DurableRuns;
import io.github.wheelscheduler.test.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** 400 days of an application whose tasks are in memory and in the database, in virtual time. */
class BothKindsOfTasksTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final int DAYS = 400;
    private static final int STEP = 8;

    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        @Bean
        Books books(Clock clock) {
            return new Books(clock);
        }
    }

    /** A run, and when it was. */
    record Entry(Instant at, String task) {}

    static class Books {

        final List<Entry> entries = Collections.synchronizedList(new ArrayList<>());
        private final Set<String> reminded = Collections.synchronizedSet(new HashSet<>());
        private final Clock clock;

        Books(Clock clock) {
            this.clock = clock;
        }

        private void note(String task) {
            entries.add(new Entry(clock.instant(), task));
        }

        List<Instant> timesOf(String task) {
            return entries.stream()
                    .filter(entry -> entry.task().equals(task))
                    .map(Entry::at)
                    .toList();
        }

        @Scheduled(cron = "0 0 6 * * *", zone = "Europe/Berlin")
        void everyMorning() {
            note("morning");
        }

        @Durable("close-the-day")
        @Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
        void closeTheDay() {
            note("daily");
        }

        @DurableHandler("report")
        void report(String customer) {
            note(customer);
        }

        @DurableHandler(value = "remind", backOff = "1h")
        void remind(String day) {
            note("reminder");
            if (reminded.add(day)) {
                throw new IllegalStateException("The first attempt fails");
            }
        }
    }

    @AutoConfigureVirtualTime(start = "2030-01-01T00:00:00Z", zone = "Europe/Berlin")
    @DirtiesContext
    abstract static class Contract {

        @Autowired
        VirtualTime time;

        @Autowired
        DurableEngine tasks;

        @Autowired
        RecurringTasks recurring;

        @Autowired
        DurableRuns runs;

        @Autowired
        Books books;

        @Test
        // It takes some seconds, and more where other builds are going on.
        @Timeout(value = 2, unit = TimeUnit.MINUTES)
        void bothKindsKeepOneTime() {
            Instant start = time.now();
            recurring.schedule("report", "ada", TaskSchedule.cron("0 0 7 1 * *", ZoneOffset.UTC), "monthly");
            for (int day = 0; day < DAYS; day += STEP) {
                Instant due = start.plus(Duration.ofDays(day)).plus(Duration.ofHours(12));
                assertThat(tasks.schedule("remind", "" + day, "" + day, due)).isTrue();
            }

            time.advanceBy(Duration.ofDays(DAYS));

            assertThat(books.timesOf("morning")).hasSize(DAYS).isSorted().doesNotHaveDuplicates();
            assertThat(books.timesOf("daily")).containsExactlyElementsOf(nights(start));
            assertThat(books.timesOf("monthly")).hasSize(14).allSatisfy(at -> {
                assertThat(at.atOffset(ZoneOffset.UTC).getDayOfMonth()).isEqualTo(1);
                assertThat(at.atOffset(ZoneOffset.UTC).toLocalTime()).isEqualTo(LocalTime.of(7, 0));
            });
            assertThat(books.timesOf("reminder"))
                    .hasSize(DAYS / STEP * 2)
                    .allSatisfy(at ->
                            assertThat(at.atOffset(ZoneOffset.UTC).getHour()).isBetween(12, 13));
            assertThat(books.entries).extracting(Entry::at).isSorted();
            assertThat(runs).ran("remind").times(DAYS / STEP);
            assertThat(runs).failed("remind").times(DAYS / STEP);
            assertThat(tasks).nothingScheduled();
        }

        /** As Spring reads the expression, also in the night that lacks half past two. */
        private List<Instant> nights(Instant start) {
            CronExpression nightly = CronExpression.parse("0 30 2 * * *");
            return Stream.iterate(nightly.next(start.atZone(BERLIN)), nightly::next)
                    .map(ZonedDateTime::toInstant)
                    .takeWhile(night -> !night.isAfter(time.now()))
                    .toList();
        }
    }

    @Nested
    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster")
    class OnH2 extends Contract {

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.useH2(registry);
        }
    }

    @Nested
    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster")
    class OnPostgresql extends Contract {

        @BeforeAll
        static void requireServer() {
            TestServers.requirePostgresql();
        }

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.usePostgresql(registry);
        }
    }

    @Nested
    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "spring.config.name=cluster")
    class OnMariaDb extends Contract {

        @BeforeAll
        static void requireServer() {
            TestServers.requireMariaDb();
        }

        @DynamicPropertySource
        static void useDatabase(DynamicPropertyRegistry registry) {
            TestServers.useMariaDb(registry);
        }
    }
}
