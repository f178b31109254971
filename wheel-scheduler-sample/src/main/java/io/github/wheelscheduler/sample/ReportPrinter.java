package io.github.wheelscheduler.sample;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.stereotype.Component;

/** Prints the table once, some seconds after the start. */
@Component
class ReportPrinter {

    private final TaskBoard board;
    private final TaskScheduler scheduler;
    private final Environment environment;
    private final Duration reportAfter;

    ReportPrinter(
            TaskBoard board,
            TaskScheduler scheduler,
            Environment environment,
            @Value("${sample.report-after}") Duration reportAfter) {
        this.board = board;
        this.scheduler = scheduler;
        this.environment = environment;
        this.reportAfter = reportAfter;
    }

    /** Waits elsewhere than on the scheduler, which may be busy. */
    @EventListener(ApplicationReadyEvent.class)
    void printLater() {
        System.out.printf("%nThe application runs. A table follows in %s.%n", Texts.of(reportAfter));
        if (isWheel()) {
            System.out.printf("See and steer its tasks: http://localhost:%s/actuator/wheeldashboard%n", port());
        }
        var unused = CompletableFuture.runAsync(
                this::print, CompletableFuture.delayedExecutor(reportAfter.toMillis(), TimeUnit.MILLISECONDS));
    }

    private void print() {
        boolean wheel = isWheel();
        System.out.println(Report.of(wheel ? "the wheel" : "the scheduler of Spring Boot", board.lines()));
        if (wheel) {
            System.out.println("For comparison on the scheduler of Spring Boot, start with --scheduler=spring");
        }
        System.out.printf(
                "The tasks go on: http://localhost:%s/actuator/%s. Stop with Ctrl+C.%n",
                port(), wheel ? "wheeldashboard" : "scheduledtasks");
    }

    private boolean isWheel() {
        return scheduler instanceof WheelTaskScheduler;
    }

    private String port() {
        return environment.getProperty("local.server.port", "8080");
    }
}
