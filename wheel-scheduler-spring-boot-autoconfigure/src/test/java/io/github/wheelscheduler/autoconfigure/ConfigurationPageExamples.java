package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
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
