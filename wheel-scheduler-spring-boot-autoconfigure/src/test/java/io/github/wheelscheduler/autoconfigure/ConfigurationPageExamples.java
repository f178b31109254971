package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.metrics.timers.TimerMetrics;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;

/** The examples of {@code docs/configuration.md} and {@code docs/metrics.md}, which only have to compile. */
@SuppressWarnings("FutureReturnValueIgnored") // an example needs no more
final class ConfigurationPageExamples {

    private final Reports reports;
    private final WheelTaskScheduler scheduler;

    ConfigurationPageExamples(Reports reports, WheelTaskScheduler scheduler) {
        this.reports = reports;
        this.scheduler = scheduler;
    }

    @Scheduled(fixedRate = 5, timeUnit = TimeUnit.SECONDS, scheduler = "reports")
    void build() {
        reports.build();
    }

    void scheduleImport() {
        scheduler.getTaskRegistry().schedule("import", this::importAll, TaskSchedule.fixedDelay(Duration.ofMinutes(5)));
    }

    static void measure(KeyedTimers<String, String> unpaid, MeterRegistry registry) {
        unpaid.measureLateness();
        TimerMetrics metrics = TimerMetrics.ofTimers(
                "keyed",
                "unpaid",
                unpaid,
                KeyedTimers::size,
                timers -> timers.counts().fired(),
                KeyedTimers::moves,
                timers -> timers.counts().failures(),
                KeyedTimers::lateness);
        metrics.bindTo(registry);
    }

    private void importAll() {
        reports.build();
    }

    interface Reports {
        void build();
    }

    static final class Mailer {

        final TaskScheduler mails;

        Mailer(@Qualifier("mails") TaskScheduler mails) {
            this.mails = mails;
        }
    }
}
