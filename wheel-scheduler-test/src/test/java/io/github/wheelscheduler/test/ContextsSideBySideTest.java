package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Contexts in one JVM, moved by threads of their own: none sees the time of another, and none leaves a thread. */
class ContextsSideBySideTest {

    private static final int CONTEXTS = 20;
    private static final String PREFIX = "side-by-side-";

    @Test
    void eachHasItsOwnTimeAndNoneLeavesAThread() throws Exception {
        ExecutorService tests = Executors.newFixedThreadPool(4);
        try {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 1; i <= CONTEXTS; i++) {
                int hours = i;
                running.add(CompletableFuture.runAsync(() -> runFor(hours), tests));
            }
            for (CompletableFuture<Void> test : running) {
                assertThat(test.get(60, TimeUnit.SECONDS)).isNull();
            }
        } finally {
            tests.shutdown();
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(PREFIX)) {
                thread.join(30_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    private static void runFor(int hours) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
            VirtualTime time = context.getBean(VirtualTime.class);
            Minutes minutes = context.getBean(Minutes.class);
            for (int hour = 1; hour <= hours; hour++) {
                time.advanceBy(Duration.ofHours(1));
                assertThat(minutes.runs).hasValue(60 * hour);
            }
            Instant now = VirtualTime.DEFAULT_START.plus(Duration.ofHours(hours));
            assertThat(context.getBean(Clock.class).instant()).isEqualTo(now);
            assertThat(minutes.last).isEqualTo(now);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @AutoConfigureVirtualTime
    static class Application {

        @Bean
        WheelTaskScheduler taskScheduler() {
            WheelTaskScheduler scheduler = new WheelTaskScheduler();
            scheduler.setThreadNamePrefix(PREFIX);
            return scheduler;
        }

        @Bean
        Minutes minutes(Clock clock) {
            return new Minutes(clock);
        }
    }

    static class Minutes {

        final AtomicInteger runs = new AtomicInteger();
        private final Clock clock;
        volatile Instant last = Instant.MIN;

        Minutes(Clock clock) {
            this.clock = clock;
        }

        @Scheduled(cron = "0 * * * * *")
        void run() {
            runs.incrementAndGet();
            last = clock.instant();
        }
    }
}
