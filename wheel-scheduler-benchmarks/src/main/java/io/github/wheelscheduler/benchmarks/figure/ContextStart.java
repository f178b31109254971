package io.github.wheelscheduler.benchmarks.figure;

import io.github.wheelscheduler.benchmarks.report.Result;
import java.util.List;

/** Q: how long a Spring Boot application takes to start, with our starter and without. */
final class ContextStart implements Figure {

    private static final String STARTER = "wheel-starter";
    private static final String BOOT = "boot";
    private static final double MOST_MORE_MILLIS = 20;

    @Override
    public String name() {
        return "Q";
    }

    @Override
    public String title() {
        return "Start of a Spring Boot application";
    }

    @Override
    public String method() {
        return "An application without a web server, with three `@Scheduled` methods, in a JVM of its own; what is "
                + "first measured of each comes after a start that is not. It is ready when `SpringApplication.run` "
                + "returns. CPU is that of the process until then. AOT: from what Spring prepared ahead of time. "
                + "Cache: with the classes that a first start has written down, in an AOT cache of JDK 25, or an "
                + "archive of classes before it.";
    }

    @Override
    public List<String> variants() {
        return List.of("plain", "plain-aot", "plain-cache", "actuator", "actuator-aot", "actuator-cache");
    }

    @Override
    public List<Metric> metrics(String variant) {
        return List.of(
                Metric.compared("readyMillis", "main to ready", "ms"),
                Metric.compared("jvmMillis", "JVM to ready", "ms"),
                Metric.compared("cpuMillis", "CPU", "ms"),
                Metric.plain("classes", "classes", ""));
    }

    @Override
    public List<Goal> goals(String variant) {
        return List.of(Goal.difference(STARTER, BOOT, "readyMillis", MOST_MORE_MILLIS));
    }

    @Override
    public List<String> contenders(String variant) {
        return List.of(STARTER, BOOT);
    }

    @Override
    public double seconds(String variant, String contender) {
        return 2;
    }

    @Override
    public boolean isOnOlderJdks() {
        return true;
    }

    @Override
    public Values measure(Trial trial) {
        String scheduler = trial.isOurs() ? "WheelTaskScheduler" : "ThreadPoolTaskScheduler";
        ApplicationJvm application =
                new ApplicationJvm(trial.variant().startsWith("actuator"), trial.isOurs(), trial.variant());
        boolean isFirst = trial.seed() == 1;
        if (isFirst || !application.isPrepared()) {
            application.prepare();
        }
        if (isFirst) {
            Result ignored = application.start();
        }
        Result result = application.start();
        if (!result.text("scheduler").equals(scheduler)) {
            throw new IllegalStateException(
                    "the measured application must run on a " + scheduler + ", was a " + result.text("scheduler"));
        }
        Values values = new Values();
        result.numbers().forEach(values::with);
        return values;
    }
}
