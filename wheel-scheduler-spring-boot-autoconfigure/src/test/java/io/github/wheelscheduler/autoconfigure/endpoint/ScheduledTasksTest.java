package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.SchedulingConfigurer;

/** Boot's endpoint {@code scheduledtasks} shows on the wheel what it shows on Boot's own scheduler. */
class ScheduledTasksTest {

    private static final Duration LONG = Duration.ofHours(1);

    private static ActuatorServer wheel;
    private static ActuatorServer boot;

    @BeforeAll
    static void start() {
        wheel = start("wheel.scheduler.enabled=true");
        boot = start("wheel.scheduler.enabled=false");
    }

    private static ActuatorServer start(String property) {
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                Application.class,
                property);
    }

    @AfterAll
    static void stop() {
        wheel.close();
        boot.close();
    }

    /** Tasks that run all the time have no next execution at some moments. */
    @Test
    void everyTaskIsShownAsOnBootsScheduler() {
        awaitThat(() -> {
            Map<String, Object> seen = tasksOf(wheel);
            assertThat(seen).hasSizeGreaterThan(7);
            assertThat(seen.toString()).contains("the service does not answer", "SUCCESS", "a trigger of its own");
            assertThat(seen).isEqualTo(tasksOf(boot));
        });
    }

    /** Returns what is said of each task, by its name. */
    private static Map<String, Object> tasksOf(ActuatorServer server) {
        Map<String, Object> tasks = new TreeMap<>();
        for (String kind : List.of("cron", "fixedDelay", "fixedRate", "custom")) {
            for (Object task : server.get("scheduledtasks").listAt(kind)) {
                Map<?, ?> facts = (Map<?, ?>) task;
                String name = String.valueOf(((Map<?, ?>) facts.get("runnable")).get("target"));
                tasks.put(kind + " " + name, comparable(facts));
            }
        }
        return tasks;
    }

    /** Both servers did not start at the same moment: only instants that are far away are compared, roughly. */
    private static Object comparable(Object value) {
        if (value instanceof Map<?, ?> facts) {
            Map<Object, Object> all = new LinkedHashMap<>();
            facts.forEach((key, fact) -> all.put(key, key.equals("time") ? roughly(fact) : comparable(fact)));
            return all;
        }
        return String.valueOf(value);
    }

    private static Object roughly(Object time) {
        Instant instant = Instant.parse(String.valueOf(time));
        Duration until = Duration.between(Instant.now(), instant);
        if (until.compareTo(LONG.multipliedBy(2)) > 0) {
            return instant.plusSeconds(30).truncatedTo(ChronoUnit.MINUTES);
        }
        return until.compareTo(LONG.dividedBy(2)) > 0 ? "in an hour" : "now";
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class Application {

        @Bean
        SchedulingConfigurer tasksOfOurOwn() {
            return registrar -> {
                registrar.addTriggerTask(
                        new OfItsOwn(), context -> Instant.now().plus(LONG));
                registrar.addCronTask(new OfItsOwn(), "0 0 4 2 2 *");
                registrar.addFixedDelayTask(new OfItsOwn(), LONG);
            };
        }
    }

    private static final class OfItsOwn implements Runnable {

        @Override
        public void run() {}

        @Override
        public String toString() {
            return "a trigger of its own";
        }
    }
}
