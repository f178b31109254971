package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Promises to a page that shows schedulers and tasks to people. */
interface EndpointShowing extends EndpointCalls {

    @Test
    default void answerSaysWhenItWasAndWhetherTheCallerMaySteer() {
        Answer answer = server().get(ENDPOINT);
        assertThat(Instant.parse(answer.textAt("now"))).isCloseTo(Instant.now(), within(30, ChronoUnit.SECONDS));
        assertThat(answer.at("steering")).isEqualTo(true);
        for (String part : List.of("findings", "day", "timers", "schedulers.0.wheel")) {
            assertThat(answer.at(part)).as(part).isNull();
        }
    }

    @Test
    default void problemsAreSaidInSentences() {
        awaitThat(() -> assertThat(read(Jobs.FAIL).numberAt("failuresInARow")).isGreaterThan(3));
        Answer answer = server().get(ENDPOINT + "?show=findings&limit=0");
        assertThat(answer.listAt("tasks")).isEmpty();
        Map<?, ?> failing = answer.listAt("findings").stream()
                .map(finding -> (Map<?, ?>) finding)
                .filter(finding -> "failing".equals(finding.get("rule")))
                .findFirst()
                .orElseThrow();
        assertThat(failing.get("severity")).isEqualTo("ERROR");
        assertThat(failing.get("scheduler")).isEqualTo("taskScheduler");
        assertThat(failing.get("task")).isEqualTo(Jobs.FAIL);
        assertThat(failing.get("text")).asString().contains(Jobs.FAIL, " times in a row, last with IllegalState");
    }

    @Test
    default void wheelIsShownOnceTheTickThreadHasToldIt() {
        awaitThat(() -> {
            Answer answer = server().get(ENDPOINT + "?show=wheel");
            assertThat(answer.at("schedulers.0.wheel.at")).isNotNull();
            assertThat(answer.listAt("schedulers.0.wheel.levels")).isNotEmpty();
            assertThat(answer.listAt("schedulers.0.wheel.levels.0.counts")).hasSize(64);
            assertThat(Duration.parse(answer.textAt("schedulers.0.wheel.levels.0.bucket")))
                    .isPositive();
        });
    }

    @Test
    default void dayIsShown() {
        Answer answer = server().get(ENDPOINT + "?show=day,findings&text=REST");
        assertThat(answer.listAt("day.totals")).hasSize(288);
        assertThat(answer.textAt("day.slot")).isEqualTo("PT5M");
        assertThat(Instant.parse(answer.textAt("day.from")).getEpochSecond() % 300)
                .isZero();
        assertThat(answer.listAt("day.tasks")).hasSize(1);
        assertThat(answer.textAt("day.tasks.0.id")).isEqualTo(Jobs.REST);
        assertThat(answer.textAt("day.tasks.0.scheduler")).isEqualTo("taskScheduler");
        assertThat(answer.listAt("day.tasks.0.slots").size()).isBetween(1, 25);
        assertThat(answer.listAt("day.tasks.0.slots.0")).hasSize(2);
        assertThat(answer.at("day.cut")).isEqualTo(false);
    }

    @Test
    default void timersAndLeasesOfTheApplicationAreCounted() {
        String timers = ENDPOINT + "?show=timers&limit=0";
        assertThat(server().get(timers).at("timers")).isEqualTo(List.of());
        WheelScheduledExecutor executor = server().wheel().getWheelScheduledExecutor();
        var beans = (DefaultListableBeanFactory) server().context().getBeanFactory();
        try (KeyedTimers<String, String> unpaid = KeyedTimers.<String, String>builder(executor, (key, value) -> {})
                        .build();
                LeaseRenewer<String> locks = LeaseRenewer.<String>builder(executor, key -> Renewal.Outcome.GONE)
                        .build()) {
            beans.registerSingleton("unpaid", unpaid);
            beans.registerSingleton("locks", locks);
            unpaid.measureLateness();
            assertThat(unpaid.set("a", "1", Duration.ofMillis(1))).isNull();
            assertThat(unpaid.set("b", "2", Duration.ofHours(1))).isNull();
            assertThat(unpaid.move("b", Duration.ofHours(2))).isTrue();
            assertThat(locks.keep("a", Duration.ofSeconds(3), locks.start(), (key, reason) -> {}))
                    .isNotNull();
            awaitThat(() ->
                    assertThat(server().get(timers).numberAt("timers.1.lost")).isOne());
            awaitThat(() ->
                    assertThat(server().get(timers).at("timers.0.meanLateness")).isNotNull());
            Answer answer = server().get(timers);
            String lateness = answer.textAt("timers.0.lateness");
            assertThat(Duration.parse(lateness)).isPositive();
            assertThat(answer.textAt("timers.0"))
                    .isEqualTo("{name=unpaid, kind=keyed, pending=1, fired=1, moved=1, failed=0, lateness=" + lateness
                            + ", meanLateness=" + lateness + "}");
            assertThat(answer.textAt("timers.1"))
                    .isEqualTo("{name=locks, kind=lease, kept=0, renewed=0, failed=1, lost=1}");
        } finally {
            beans.destroySingleton("unpaid");
            beans.destroySingleton("locks");
        }
    }

    @Test
    default void shownPartMustBeKnown() {
        Answer answer = server().get(ENDPOINT + "?show=findings,everything");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error"))
                .isEqualTo("show must be one of [findings, wheel, day, timers], was everything");
    }

    @Test
    default void taskIsShownInFullWhereItIsAskedForAlone() {
        awaitThat(() -> assertThat(read(Jobs.FAIL).at("lastError")).isNotNull());
        Answer task = read(Jobs.FAIL);
        assertThat(task.textAt("schedule.words")).isEqualTo("every 20 ms");
        assertThat(task.textAt("lastError.exception")).isEqualTo(IllegalStateException.class.getName());
        assertThat(task.textAt("lastError.message")).isEqualTo("the service does not answer");
        assertThat(task.textAt("lastError.trace")).contains("at ", Jobs.class.getName() + ".fail");
        assertThat(Instant.parse(task.textAt("lastError.at"))).isBefore(Instant.now());
        assertThat(task.at("settingSources")).isNotNull();
        assertThat(task.at("steering")).isEqualTo(true);
        assertThat(read(Jobs.HOLD).listAt("upcoming")).hasSize(5);

        Answer listed = server().get(ENDPOINT + "?text=" + Jobs.FAIL);
        assertThat(listed.textAt("tasks.0.schedule.words")).isEqualTo("every 20 ms");
        for (String part : List.of("upcoming", "settingSources", "lastError", "steering")) {
            assertThat(listed.at("tasks.0." + part)).as(part).isNull();
        }
    }

    @Test
    default void textOfAFailureSpoilsNoAnswer() {
        String hostile = "<img src=x onerror=alert(1)>\u0000\u001b\u202e\ud800" + "\ud83d\ude00".repeat(10_000);
        ScheduledFuture<?> task = server().wheel()
                .getTaskRegistry()
                .schedule(
                        "hostile <b>",
                        () -> {
                            throw new IllegalStateException(hostile);
                        },
                        TaskSchedule.fixedDelay(Duration.ofHours(1)));
        try {
            awaitThat(() -> assertThat(server().wheel()
                            .getTaskRegistry()
                            .get("hostile <b>")
                            .failures())
                    .isEqualTo(1));
            Answer all = server().get(ENDPOINT + "?show=findings,day,wheel&limit=500&text=hostile");
            assertThat(all.status()).isEqualTo(200);
            assertThat(all.textAt("tasks.0.last.message")).startsWith("<img").hasSizeLessThan(600);
            Answer alone = read("hostile%20%3Cb%3E");
            assertThat(alone.textAt("lastError.trace")).contains("IllegalStateException: <img");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    default void taskThatIsReTimedSaysWhatTheCodeSays() {
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule("hours", () -> {}, tomorrow());
        try {
            assertThat(read("hours").at("configured")).isNull();
            steerWell("hours", "{'action': 'retime', 'cron': '0 0 9 * * MON-FRI'}");
            Answer after = read("hours");
            assertThat(after.textAt("schedule.words")).isEqualTo("every weekday at 9:00");
            assertThat(after.textAt("configured")).startsWith("once, at ");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }
}
