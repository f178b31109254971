package io.github.wheelscheduler.metrics;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.spring.SchedulerOnGivenExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Which alert rules of docs/metrics.md fire when something happens that they are meant for, and when it is something
 * else.
 */
class AlertRulesVirtualTimeTest {

    private static final Path PAGE = Path.of("..", "docs", "metrics.md");

    /** A rule that compares one metric with a number, or asks whether a counter has gone up. */
    private static final Pattern RULE = Pattern.compile(
            "`(?:increase\\()?((?:executor|wheel_scheduler)_\\w+)(?:\\{(\\w+=\"\\w+\")})?(?:\\[\\w+]\\))? ([<>]) "
                    + "([\\d.]+)`");

    private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)\\{([^}]*)} (\\S+)$");

    private static final Duration PERIOD = Duration.ofSeconds(100);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @RegisterExtension
    private final LogCapture log = LogCapture.ofPackage(WheelTaskScheduler.class);

    private final AtomicReference<Runnable> inNextRun = new AtomicReference<>(() -> {});

    /** A task with a fixed rate that has run once. */
    private WheelTaskScheduler started(VirtualTime time) throws IOException {
        // A timer that is far away, so that quiet time can be told from time that has not begun.
        WheelTimer<?> ignored = time.executor.schedule(() -> {}, 1, HOURS);
        WheelTaskScheduler scheduler = new SchedulerOnGivenExecutor(time.executor);
        new WheelSchedulerMetrics(scheduler, "virtual").bindTo(registry);
        ScheduledFuture<?> unused = scheduler
                .getTaskRegistry()
                .schedule("rate", () -> inNextRun.getAndSet(() -> {}).run(), TaskSchedule.fixedRate(PERIOD));
        time.awaitQuiet();
        assertThat(firing()).isEmpty();
        return scheduler;
    }

    @Test
    void slowRunIsBlamedOnItsTaskAndNobodyElse() throws IOException {
        try (VirtualTime time = new VirtualTime()) {
            WheelTaskScheduler ignored = started(time);
            inNextRun.set(() -> time.clock.advance(PERIOD.multipliedBy(3).plusSeconds(50)));
            time.pass(PERIOD);
            assertThat(firing())
                    .containsExactly(
                            "wheel_scheduler_task_lateness_seconds_max", "wheel_scheduler_task_overruns_total");
            assertThat(log.said("overslept")).isEmpty();
            assertThat(log.said("cannot keep up")).isEmpty();
        }
    }

    @Test
    void pauseShowsInWaitingTasksAndItsEndInLateOnes() throws IOException {
        try (VirtualTime time = new VirtualTime()) {
            WheelTaskScheduler scheduler = started(time);
            scheduler.stop();
            time.pass(PERIOD.multipliedBy(4));
            assertThat(firing()).containsExactly("wheel_scheduler_ready_age_seconds");
            scheduler.start();
            time.awaitQuiet();
            assertThat(firing()).containsExactly("wheel_scheduler_task_lateness_seconds_max");
            assertThat(log.said("overslept")).isEmpty();
            assertThat(log.said("cannot keep up")).isEmpty();
        }
    }

    @Test
    void processThatWasStoppedShowsAsLatenessOfTheWheel() throws IOException {
        try (VirtualTime time = new VirtualTime()) {
            WheelTaskScheduler ignored = started(time);
            time.jump(PERIOD.multipliedBy(3).plusSeconds(50));
            assertThat(firing())
                    .containsExactly(
                            "wheel_scheduler_lateness_seconds_max",
                            "wheel_scheduler_task_lateness_seconds_max",
                            "wheel_scheduler_tick_oversleep_max_seconds");
            assertThat(log.said("overslept")).hasSize(1);
        }
    }

    /** Returns the metrics whose rules fire. */
    private Set<String> firing() throws IOException {
        Map<String, Double> samples = SAMPLE.matcher(registry.scrape())
                .results()
                .collect(Collectors.toMap(
                        sample -> sample.group(1) + "{" + sample.group(2) + "}",
                        sample -> Double.parseDouble(sample.group(3))));
        Set<String> firing = new TreeSet<>();
        Matcher rules = RULE.matcher(Files.readString(PAGE));
        int count = 0;
        while (rules.find()) {
            count++;
            if (samples.entrySet().stream().anyMatch(sample -> fires(rules, sample.getKey(), sample.getValue()))) {
                firing.add(rules.group(1));
            }
        }
        assertThat(count).isGreaterThan(10);
        return firing;
    }

    private static boolean fires(Matcher rule, String sample, double value) {
        String label = rule.group(2) == null ? "" : rule.group(2);
        double limit = Double.parseDouble(rule.group(4));
        boolean isIt = sample.startsWith(rule.group(1) + "{") && sample.contains(label);
        return isIt && (rule.group(3).equals(">") ? value > limit : value < limit);
    }
}
