package io.github.wheelscheduler.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class TaskSettingsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static TaskSettings.Builder builder() {
        return TaskSettings.builder();
    }

    private static void assertUnusable(String setting, String rule, ThrowingCallable call) {
        assertThatExceptionOfType(UnusableSettingException.class)
                .isThrownBy(call)
                .satisfies(ex -> {
                    assertThat(ex.setting()).isEqualTo(setting);
                    assertThat(ex).hasMessage(setting + " " + rule + ", was " + ex.value());
                });
    }

    @Test
    void unworkableSettingIsRefusedWithItsRule() {
        assertUnusable(
                "cron",
                "must be a cron expression of six fields, or -",
                () -> builder().cron("* * * * *"));
        assertUnusable("fixed-rate", "must be positive", () -> builder().fixedRate(Duration.ZERO));
        assertUnusable("fixed-delay", "must be positive", () -> builder().fixedDelay(SECOND.negated()));
        assertUnusable("initial-delay", "must not be negative", () -> builder().initialDelay(SECOND.negated()));
        assertUnusable("jitter", "must not be negative", () -> builder().jitter(SECOND.negated()));
        assertUnusable(
                "start-tolerance", "must not be negative", () -> builder().startTolerance(SECOND.negated()));
        assertUnusable("time-limit", "must be positive", () -> builder().timeLimit(Duration.ZERO));
        assertUnusable(
                "pause-after-failures", "must not be negative", () -> builder().pauseAfterFailures(-1));
        assertUnusable("back-off.delay", "must be positive", () -> BackOff.of(Duration.ZERO));
        assertUnusable("back-off.multiplier", "must be at least 1", () -> new BackOff(SECOND, 0.5, SECOND));
        assertUnusable("back-off.multiplier", "must be at least 1", () -> new BackOff(SECOND, Double.NaN, SECOND));
        assertUnusable(
                "back-off.max-delay",
                "must not be shorter than the delay, which is PT2S",
                () -> new BackOff(SECOND.multipliedBy(2), 1, SECOND));
    }

    @Test
    void scheduleIsOneScheduleOnly() {
        String rule = "must be the only one of cron, fixed-rate and fixed-delay";
        assertUnusable(
                "fixed-rate",
                rule,
                () -> builder().cron("0 0 * * * *").fixedRate(SECOND).build());
        assertUnusable(
                "fixed-rate",
                rule,
                () -> builder().fixedRate(SECOND).fixedDelay(SECOND).build());
        assertUnusable(
                "fixed-delay",
                rule,
                () -> builder().cron("-").fixedDelay(SECOND).build());
    }

    @Test
    void backOffSaysDurationsInWords() {
        assertThat(new BackOff(SECOND, 2, Duration.ofMinutes(90))).hasToString("1 s * 2.0 <= 1 h 30 min");
    }

    @Test
    void overlayReplacesSettingsOneByOneAndScheduleAsAWhole() {
        TaskSettings below = builder()
                .cron("0 0 * * * *")
                .zone(ZoneId.of("Europe/Berlin"))
                .jitter(SECOND)
                .missedRuns(MissedRuns.SKIP)
                .build();
        TaskSettings over = builder().fixedRate(SECOND).jitter(Duration.ZERO).build();
        assertThat(below.overlaidWith(over).toMap())
                .containsExactly(
                        Map.entry("zone", "Europe/Berlin"),
                        Map.entry("fixed-rate", "PT1S"),
                        Map.entry("missed-runs", "skip"),
                        Map.entry("jitter", "PT0S"));
        assertThat(below.overlaidWith(TaskSettings.NONE)).isSameAs(below);
        assertThat(TaskSettings.NONE.overlaidWith(below)).isSameAs(below);
    }

    @Test
    void eachPartOfABackOffIsReplacedAlone() {
        TaskSettings below = builder().backOff(BackOff.of(SECOND)).build();
        TaskSettings over = builder().backOffMaxDelay(SECOND.multipliedBy(3)).build();
        assertThat(below.overlaidWith(over).backOff()).isEqualTo(new BackOff(SECOND, 2, SECOND.multipliedBy(3)));
        Duration days = Duration.ofDays(2);
        assertThat(below.overlaidWith(builder().backOffDelay(days).build()).backOff())
                .isEqualTo(BackOff.of(days));
        assertThat(below.overlaidWith(builder().backOffMultiplier(5.0).build()).backOff())
                .isEqualTo(new BackOff(SECOND, 5, BackOff.DEFAULT_MAX_DELAY));
    }

    @Test
    void backOffWithoutADelayIsRefusedWhereItIsUsed() {
        String rule = "must be set where anything of the back-off is";
        assertUnusable(
                "back-off.delay",
                rule,
                () -> builder().backOffMaxDelay(SECOND).build().backOff());
        assertUnusable(
                "back-off.delay",
                rule,
                () -> builder().backOffMultiplier(3.0).build().backOff());
        assertUnusable(
                "back-off.multiplier", "must be at least 1", () -> builder().backOffMultiplier(0.5));
        assertUnusable("back-off.max-delay", "must be positive", () -> builder().backOffMaxDelay(Duration.ZERO));
        assertThat(builder().build().backOff()).isNull();
    }

    @Test
    void restsGrowAndEnd() {
        BackOff backOff = new BackOff(SECOND, 3, Duration.ofMinutes(1));
        assertThat(backOff.restNanos(0)).isZero();
        assertThat(backOff.restNanos(1)).isEqualTo(SECOND.toNanos());
        assertThat(backOff.restNanos(2)).isEqualTo(3 * SECOND.toNanos());
        assertThat(backOff.restNanos(4)).isEqualTo(27 * SECOND.toNanos());
        assertThat(backOff.restNanos(5)).isEqualTo(60 * SECOND.toNanos());
        assertThat(backOff.restNanos(Long.MAX_VALUE)).isEqualTo(60 * SECOND.toNanos());
        BackOff huge = BackOff.of(Duration.ofDays(1_000_000));
        assertThat(huge.restNanos(1)).isEqualTo(Long.MAX_VALUE / 4);
    }
}
