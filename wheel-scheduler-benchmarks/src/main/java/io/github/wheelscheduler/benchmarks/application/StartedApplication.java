package io.github.wheelscheduler.benchmarks.application;

import io.github.wheelscheduler.benchmarks.report.Result;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts, says in one line how long that took and which scheduler it has, and ends. */
@SpringBootApplication
@EnableScheduling
public class StartedApplication {

    public static void main(String[] args) {
        long mainNanos = System.nanoTime();
        ApplicationContext context = SpringApplication.run(StartedApplication.class, args);
        long readyNanos = System.nanoTime();
        long readyMillis = System.currentTimeMillis();
        // Threads that have ended count, too.
        Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
        Result result = Result.empty();
        result.texts()
                .put(
                        "scheduler",
                        context.getBean(TaskScheduler.class).getClass().getSimpleName());
        result.numbers().put("readyMillis", (readyNanos - mainNanos) / 1e6);
        result.numbers().put("jvmMillis", (double)
                (readyMillis - ManagementFactory.getRuntimeMXBean().getStartTime()));
        result.numbers().put("cpuMillis", cpu.toNanos() / 1e6);
        result.numbers().put("classes", (double)
                ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
        System.out.println(result.toLine());
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
