package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/** Promises to a caller that may steer over HTTP. */
interface EndpointSteering extends EndpointCalls {

    @Test
    default void triggeringRunsTheTaskOnceAndKeepsItsPhase() {
        Answer before = read(Jobs.REST);
        steerWell(Jobs.REST, "{'action': 'trigger'}");
        awaitThat(() -> assertThat(read(Jobs.REST).numberAt("runs")).isEqualTo(before.numberAt("runs") + 1));
        Answer after = read(Jobs.REST);
        assertThat(after.at("last.triggered")).isEqualTo(true);
        assertThat(Instant.parse(after.textAt("next")))
                .isCloseTo(Instant.parse(before.textAt("next")), within(1, ChronoUnit.SECONDS));
    }

    @Test
    default void runningTaskIsShownAsRunningAndIsNotTriggered() {
        steerWell(Jobs.HOLD, "{'action': 'trigger'}");
        awaitThat(() -> assertThat(read(Jobs.HOLD).textAt("state")).isEqualTo("RUNNING"));
        assertThat(Instant.parse(read(Jobs.HOLD).textAt("runningSince"))).isBefore(Instant.now());
        Answer refused = steer(Jobs.HOLD, "{'action': 'trigger'}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.textAt("error")).contains("must not be running").contains(Jobs.HOLD);
        server().context().getBean(Jobs.class).letGo();
        awaitThat(() -> assertThat(read(Jobs.HOLD).numberAt("runs")).isEqualTo(1));
    }

    @Test
    default void pausedTaskSkipsItsRunsUntilItIsResumed() {
        steerWell(Jobs.BEAT, "{'action': 'pause'}");
        awaitThat(() -> assertThat(read(Jobs.BEAT).textAt("state")).isEqualTo("PAUSED"));
        long runs = read(Jobs.BEAT).numberAt("runs");
        long skips = read(Jobs.BEAT).numberAt("skips");
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("skips")).isGreaterThan(skips + 2));
        assertThat(read(Jobs.BEAT).numberAt("runs")).isEqualTo(runs);
        steerWell(Jobs.BEAT, "{'action': 'resume'}");
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isGreaterThan(runs));
    }

    @Test
    default void reTimingToARateShowsInBootsEndpoint() {
        steerWell(Jobs.REST, "{'action': 'retime', 'fixedRate': '2h'}");
        Answer after = read(Jobs.REST);
        assertThat(after.textAt("schedule.kind")).isEqualTo("fixedRate");
        assertThat(after.textAt("schedule.text")).isEqualTo("PT2H");
        assertNextIsAbout(Jobs.REST, Instant.now().plus(Duration.ofHours(2)));
    }

    @Test
    default void reTimingToADelayShowsInBootsEndpoint() {
        steerWell(Jobs.PAUSE_AFTER, "{'action': 'retime', 'fixedDelay': 'PT3H', 'scheduler': 'taskScheduler'}");
        assertThat(read(Jobs.PAUSE_AFTER).textAt("schedule.kind")).isEqualTo("fixedDelay");
        assertNextIsAbout(Jobs.PAUSE_AFTER, Instant.now().plus(Duration.ofHours(3)));
    }

    @Test
    default void reTimingToACronTakesEffectAndBootsEndpointShowsIt() {
        ZoneId zone = ZoneId.of("Asia/Tokyo");
        steerWell(Jobs.YEARLY, "{'action': 'retime', 'cron': '0 30 4 1 7 *', 'zone': 'Asia/Tokyo'}");
        Answer after = read(Jobs.YEARLY);
        assertThat(after.textAt("schedule.kind")).isEqualTo("cron");
        assertThat(after.textAt("schedule.text")).isEqualTo("0 30 4 1 7 *");
        assertThat(after.textAt("schedule.zone")).isEqualTo("Asia/Tokyo");
        assertNextIsAbout(
                Jobs.YEARLY,
                CronExpression.parse("0 30 4 1 7 *")
                        .next(Instant.now().atZone(zone))
                        .toInstant());
    }

    @Test
    default void oneTimeTaskIsPutOff() {
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule("closing", () -> {}, tomorrow());
        try {
            steerWell("closing", "{'action': 'retime', 'once': '2040-01-01T12:00:00+02:00'}");
            Answer after = read("closing");
            assertThat(after.textAt("schedule.kind")).isEqualTo("once");
            assertThat(after.textAt("schedule.text")).isEqualTo("2040-01-01T10:00:00Z");
            assertThat(Instant.parse(after.textAt("next")))
                    .isCloseTo(Instant.parse("2040-01-01T10:00:00Z"), within(1, ChronoUnit.MINUTES));
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    /** Boot's endpoint shows the schedule of the annotation for ever, but the right next time. */
    private void assertNextIsAbout(String id, Instant expected) {
        assertThat(Instant.parse(read(id).textAt("next"))).isCloseTo(expected, within(1, ChronoUnit.MINUTES));
        Answer scheduled = server().get("scheduledtasks");
        List<String> found = Stream.of("fixedRate", "fixedDelay", "cron")
                .flatMap(kind -> scheduled.listAt(kind).stream())
                .map(task -> (Map<?, ?>) task)
                .filter(task -> String.valueOf(task.get("runnable")).contains(id))
                .map(task -> String.valueOf(((Map<?, ?>) task.get("nextExecution")).get("time")))
                .toList();
        assertThat(found).hasSize(1);
        assertThat(Instant.parse(found.get(0))).isCloseTo(expected, within(1, ChronoUnit.MINUTES));
    }

    @Test
    default void pausedSchedulerRunsNothingUntilItIsResumed() {
        Answer paused = server().post(ENDPOINT, "{\"action\": \"pause\", \"scheduler\": \"taskScheduler\"}");
        try {
            assertThat(paused.textAt("state")).isEqualTo("PAUSED");
            assertThat(server().get(ENDPOINT).textAt("schedulers.0.state")).isEqualTo("PAUSED");
            awaitThat(() -> assertThat(server().get(ENDPOINT).numberAt("schedulers.0.ready"))
                    .isPositive());
        } finally {
            assertThat(server().post(ENDPOINT, "{\"action\": \"resume\"}").textAt("state"))
                    .isEqualTo("RUNNING");
        }
        long runs = read(Jobs.BEAT).numberAt("runs");
        awaitThat(() -> assertThat(read(Jobs.BEAT).numberAt("runs")).isGreaterThan(runs));
    }

    @Test
    default void taskThatRepeatsByItsCodeIsNotLostByRunningOnce() {
        ScheduledFuture<?> task = server().wheel().scheduleWithFixedDelay(new Hourly(), Duration.ofHours(1));
        try {
            awaitThat(() -> assertThat(read("hourly").numberAt("runs")).isEqualTo(1));
            steerWell("hourly", "{'action': 'retime', 'once': '" + Instant.now() + "'}");
            awaitThat(() -> assertThat(read("hourly").textAt("state")).isEqualTo("OVER"));
            assertThat(steer("hourly", "{'action': 'trigger'}").status()).isEqualTo(409);
            steerWell("hourly", "{'action': 'retime', 'cron': '0 0 3 1 1 *'}");
            assertThat(read("hourly").textAt("state")).isEqualTo("PENDING");
            Answer reset = steerWell("hourly", "{'action': 'reset'}");
            assertThat(reset.textAt("schedule.kind")).isEqualTo("fixedDelay");
            assertThat(reset.textAt("schedule.text")).isEqualTo("PT1H");
            assertThat(reset.textAt("state")).isEqualTo("PENDING");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    /** Does nothing, under the name "hourly". */
    final class Hourly implements Runnable, NamedTask {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "hourly";
        }
    }
}
