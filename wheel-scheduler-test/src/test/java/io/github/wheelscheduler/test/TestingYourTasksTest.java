package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.scheduling.support.CronTrigger;

/** The examples of {@code docs/testing-your-tasks.md}. */
@ExtendWith(VirtualTimeExtension.class)
@SuppressWarnings("FutureReturnValueIgnored") // as users write it
class TestingYourTasksTest {

    private static final Path REMINDERS = Path.of(
            "../wheel-scheduler-sample/src/test/java/io/github/wheelscheduler" + "/sample/cluster/RemindersTest.java");

    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void reportsEveryMorning(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Instant> runs = new ArrayList<>();
        scheduler.schedule(() -> runs.add(time.now()), new CronTrigger("0 0 6 * * *"));

        time.advanceBy(Duration.ofDays(2));

        assertThat(runs).containsExactly(Instant.parse("2030-01-01T06:00:00Z"), Instant.parse("2030-01-02T06:00:00Z"));
    }

    @Test
    void makesUpTheLastTenRunsAfterASuspend(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        AtomicInteger runs = new AtomicInteger();
        scheduler.scheduleAtFixedRate(runs::incrementAndGet, time.now().plusSeconds(1), Duration.ofSeconds(1));

        time.suspend(Duration.ofHours(8));

        assertThat(runs).hasValue(12);
    }

    @Test
    void dayInSpringHasOneHourLess() {
        try (VirtualTime time =
                VirtualTime.startingAt(Instant.parse("2030-03-30T12:00:00Z"), ZoneId.of("Europe/Berlin"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            List<Instant> runs = new ArrayList<>();
            scheduler.schedule(() -> runs.add(time.now()), new CronTrigger("0 30 2,3 * * *"));

            time.advanceBy(Duration.ofDays(1));

            assertThat(runs).containsExactly(Instant.parse("2030-03-31T01:30:00Z"));
        }
    }

    @Test
    void restGrowsWithFailuresAndEndsInPhase(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Instant> runs = new ArrayList<>();
        AtomicBoolean isServiceUp = new AtomicBoolean();
        Runnable sync = () -> {
            runs.add(time.now());
            if (!isServiceUp.get()) {
                throw new IllegalStateException("the service does not answer");
            }
        };
        TaskSettings settings = TaskSettings.builder()
                .backOff(BackOff.of(Duration.ofMinutes(1)))
                .build();
        scheduler.getTaskRegistry().schedule("sync", sync, TaskSchedule.fixedRate(Duration.ofSeconds(10)), settings);

        time.advanceBy(Duration.ofMinutes(3));
        isServiceUp.set(true);
        time.advanceTo(Instant.parse("2030-01-01T00:07:10Z"));

        assertThat(runs)
                .extracting(
                        run -> Duration.between(VirtualTime.DEFAULT_START, run).toSeconds())
                .containsExactly(0L, 60L, 180L, 420L, 430L);
    }

    /** Spaces do not count: the code here is formatted for its own depth. */
    @Test
    void pagesShowWhatRunsHere() throws IOException {
        String pages = Files.readString(Path.of("../docs/testing-your-tasks.md"))
                + Files.readString(Path.of("../docs/testing-in-a-transaction.md"));
        String source = withoutSpaces(sourceOf("TestingYourTasksTest"))
                + withoutSpaces(sourceOf("TestingYourApplicationTest"))
                + withoutSpaces(sourceOf("SchedulerThatIsOffTest"))
                + withoutSpaces(Files.readString(REMINDERS));
        List<String> examples =
                JAVA.matcher(pages).results().map(found -> found.group(1)).toList();
        assertThat(examples).hasSize(8);
        assertThat(examples).allSatisfy(example -> {
            // The application below the example is not on the page.
            String code = withoutSpaces(example).replaceFirst("\\}$", "");
            assertThat(source).contains(code);
        });
    }

    private static String sourceOf(String test) throws IOException {
        return Files.readString(Path.of("src/test/java/io/github/wheelscheduler/test/" + test + ".java"));
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s+", "");
    }
}
