package io.github.wheelscheduler.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The text of a report about the contenders that take part, and about those left out. */
final class Contestants {

    static final Map<String, String> DESCRIPTIONS = descriptions();

    static final List<String> OMISSIONS = List.of(
            "`bare-wheel` and `bare-jvm` show floors: the wheel on the caller's thread without anything around it, and "
                    + "a JVM without a scheduler.",
            "Figures whose values hardly differ between JVMs are taken from fewer of them (last column).",
            "B, G, H, I and J compare how pending timers are kept, so contenders that keep them in the same way as "
                    + "another one stand aside.",
            "F, except ours, is taken from one JVM: the gaps come from the number of threads, not from noise.",
            "L compares ours with ours.",
            "K holds ours and the contenders that hold ten million timers within the default heap.",
            "`fjp` is a scheduler from JDK 25 on, and `wheel-virtual` needs virtual threads.",
            "`sats` does not take part in C and E on JDK 17: it cannot start a platform thread for each of so many "
                    + "runs.",
            "`virtual` knows no delays, so that it takes part in two variants of M.",
            "JDK 17 is measured for A, C, D, E, F, M, N and Q.");

    private Contestants() {}

    private static Map<String, String> descriptions() {
        Map<String, String> byName = new LinkedHashMap<>();
        byName.put("wheel", "`WheelScheduledExecutor` with its defaults");
        byName.put("wheel-virtual", "the same, each run on a virtual thread of its own");
        byName.put("wheel-group", "the same, slow tasks in a group with a limit of its own, which is full of them");
        byName.put("wheel-tolerant", "`WheelScheduledExecutor` with a start tolerance of 2 ms");
        byName.put("wheel-spring", "`WheelTaskScheduler` through `schedule(Runnable, Instant)`");
        byName.put("wheel-spring-meters", "the same with its meters in a registry for Prometheus");
        byName.put("wheel-spring-histograms", "the same with its meters, and a histogram of lateness");
        byName.put("stpe", "the JDK's `ScheduledThreadPoolExecutor` with one thread, removing what is cancelled");
        byName.put("fjp", "the JDK's `ForkJoinPool` with two threads, as a scheduled executor");
        byName.put("tpts", "Spring's `ThreadPoolTaskScheduler` with two threads, removing what is cancelled");
        byName.put(
                "sats",
                "Spring's `SimpleAsyncTaskScheduler` on virtual threads; on platform threads where there are none");
        byName.put("hwt", "Netty's `HashedWheelTimer`, 1 ms, 512 buckets; tasks run on its timer thread");
        byName.put("hwt+x", "the same with a task executor of two threads");
        byName.put("kafka", "Kafka's `SystemTimer`, which has one worker and a unit of 1 ms");
        byName.put(
                "agrona",
                "Agrona's `DeadlineTimerWheel` on a thread of its own, behind a queue and before two workers");
        byName.put("virtual", "the JDK's executor that starts a virtual thread for each task");
        byName.put("wheel-keyed", "`KeyedTimers` on an executor with its defaults");
        byName.put("hwt+map", "`hwt` beside a `ConcurrentHashMap`: a move cancels and schedules another");
        byName.put(
                "caffeine",
                "a Caffeine cache whose entries expire each at its own time, with the system's scheduler; a reading "
                        + "puts one off");
        byName.put("wheel-starter", "a Spring Boot application with our starter");
        byName.put("boot", "the same application without it, on Boot's own scheduler");
        byName.put("name/2", "with two workers, at most two in case of ours");
        byName.put("name/8", "with eight workers");
        return byName;
    }
}
