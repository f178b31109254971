package io.github.wheelscheduler.sample;

import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.stereotype.Component;

/** A {@code @Scheduled} method of each kind. All but the heartbeat are slow. */
@Component
class AnnotatedTasks {

    static final String NIGHTLY_CRON = "0 0 3 * * *";

    private static final long BEAT_MILLIS = 100;
    private static final long REPORT_DELAY_MILLIS = 500;
    private static final String IMPORT_CRON = "*/2 * * * * *";
    private static final long WARM_UP_DELAY_MILLIS = 1_000;

    private final TaskLog heartbeat;
    private final TaskLog report;
    private final TaskLog importing;
    private final TaskLog warmUp;

    AnnotatedTasks(TaskBoard board) {
        heartbeat = board.add(Report.HEARTBEAT, new Timetable.Every(Duration.ofMillis(BEAT_MILLIS)), Duration.ZERO);
        report = board.add(
                "report", new Timetable.AfterEachRun(Duration.ofMillis(REPORT_DELAY_MILLIS)), Duration.ofMillis(1_500));
        importing = board.add(
                "import",
                new Timetable.Cron(CronExpression.parse(IMPORT_CRON), ZoneId.systemDefault()),
                Duration.ofMillis(1_200));
        warmUp = board.add(
                "warm-up", new Timetable.Once(Duration.ofMillis(WARM_UP_DELAY_MILLIS)), Duration.ofSeconds(3));
    }

    /** Just before Spring schedules the methods, at the same event. */
    @EventListener(ContextRefreshedEvent.class)
    @Order(Ordered.LOWEST_PRECEDENCE - 1)
    void noteStart() {
        List.of(heartbeat, report, importing, warmUp).forEach(TaskLog::scheduled);
    }

    @Scheduled(fixedRate = BEAT_MILLIS)
    void beat() {
        heartbeat.run();
    }

    @Scheduled(fixedDelay = REPORT_DELAY_MILLIS)
    void report() {
        report.run();
    }

    @Scheduled(cron = IMPORT_CRON)
    @WheelTask(id = "import", missedRuns = MissedRuns.SKIP, timeLimit = "30s")
    void importData() {
        importing.run();
    }

    @Scheduled(initialDelay = WARM_UP_DELAY_MILLIS)
    void warmUp() {
        warmUp.run();
    }

    /** Is due at the same time as another one, for the dashboard to show; the table does without it. */
    @Scheduled(cron = NIGHTLY_CRON)
    void backUp() {}

    /** Is the other one. */
    @Scheduled(cron = NIGHTLY_CRON)
    void cleanUp() {}
}
