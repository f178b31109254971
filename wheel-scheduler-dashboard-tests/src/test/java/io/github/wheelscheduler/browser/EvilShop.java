package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** All names here would do harm as markup. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class EvilShop {

    static final String MARKUP = "<img src=x onerror=window.hit=1>";

    static String encoded() {
        return URLEncoder.encode(MARKUP, StandardCharsets.UTF_8);
    }

    /** Schedules tasks that fail, and a durable one that has failed for good. */
    static void fill(Server server) {
        ScheduledFuture<?> failing = server.context()
                .getBean(MARKUP, WheelTaskScheduler.class)
                .getTaskRegistry()
                .schedule(MARKUP, EvilShop::fail, TaskSchedule.fixedRate(Duration.ofMillis(500)));
        if (failing.isDone()
                || !server.context().getBean(DurableTasks.class).schedule("evil", MARKUP, MARKUP, Duration.ZERO)) {
            throw new IllegalStateException("both must be scheduled");
        }
    }

    static void fail() {
        throw new IllegalStateException(MARKUP);
    }

    @Bean(name = MARKUP, defaultCandidate = false)
    static WheelTaskScheduler evilScheduler() {
        return new WheelTaskScheduler();
    }

    @Durable(MARKUP)
    @Scheduled(fixedRate = 1_000)
    void failOnce() {
        fail();
    }

    @DurableHandler(value = "evil", maxRetries = 0)
    void failForGood(String text) {
        fail();
    }
}
