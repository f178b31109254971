package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.EnableAutoConfigurationButDurable;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application to look at: tasks that are slow, late, failing, stuck or many. Of its arguments, {@code security} adds
 * Spring Security, with the user {@code operator} and the password {@code secret}, and {@code durable} adds durable
 * tasks; the others are properties such as {@code --server.port=8080} or {@code --demo.tasks=5000}.
 */
public final class DashboardDemo {

    private static final Map<String, Object> PROPERTIES = Map.of(
            "spring.application.name", "demo",
            "management.endpoints.web.exposure.include", "*",
            "management.endpoint.wheelscheduler.access", "unrestricted",
            "management.endpoint.wheeldurable.access", "unrestricted",
            "spring.security.user.name", "operator",
            "spring.security.user.password", "secret",
            "wheel.scheduler.groups.reports.max-size", "2",
            "wheel.scheduler.groups.mails.max-size", "4",
            "wheel.scheduler.groups.mails.queue-capacity", "2",
            "wheel.scheduler.groups.mails.on-full", "drop");

    private DashboardDemo() {}

    public static void main(String... arguments) {
        boolean secured = Arrays.asList(arguments).contains("security");
        boolean durable = Arrays.asList(arguments).contains("durable");
        ClassLoader all = DashboardDemo.class.getClassLoader();
        ClassLoader classLoader = secured
                ? all
                : new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security");
        Thread.currentThread().setContextClassLoader(classLoader);
        SpringApplication application =
                new SpringApplication(new DefaultResourceLoader(classLoader), durable ? Durably.class : Plainly.class);
        application.setDefaultProperties(PROPERTIES);
        application.run(Arrays.stream(arguments)
                .filter(argument -> argument.startsWith("--"))
                .toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfigurationButDurable
    @Import(Tasks.class)
    static class Plainly {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Tasks.class)
    static class Durably {

        @Bean
        Lasting lasting() {
            return new Lasting();
        }
    }

    static class Lasting {

        @Durable("nightly-invoices")
        @Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
        void invoice() {}

        @Durable("heartbeat")
        @Scheduled(fixedRate = 5_000)
        void beat() {}

        @Durable("refuse")
        @Scheduled(fixedRate = 10_000)
        void refuse() {
            throw new IllegalStateException("The bank does not answer");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Tasks {

        private final WheelTaskScheduler taskScheduler;
        private final int many;

        Tasks(WheelTaskScheduler taskScheduler, @Value("${demo.tasks:5000}") int many) {
            this.taskScheduler = taskScheduler;
            this.many = many;
        }

        /** Adds tenants: each has a task of its own, every ten seconds to every hour, or at night. */
        @EventListener(ApplicationReadyEvent.class)
        @SuppressWarnings("FutureReturnValueIgnored") // they go on until the application ends
        void schedule() {
            TaskRegistry registry = taskScheduler.getTaskRegistry();
            Duration[] periods = {
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofMinutes(1),
                Duration.ofMinutes(10),
                Duration.ofHours(1)
            };
            for (int i = 0; i < many; i++) {
                TaskSchedule schedule = i % 10 == 0
                        ? TaskSchedule.cron("%d %d %d * * *".formatted(i % 60, i / 60 % 60, i % 5))
                        : TaskSchedule.fixedRate(periods[i % periods.length]);
                boolean failing = i % 500 == 1;
                registry.schedule("tenant/%04d/sync".formatted(i), () -> sync(failing), schedule);
            }
            registry.schedule(
                    "<img src=x onerror=alert(1)>", () -> sync(true), TaskSchedule.fixedRate(Duration.ofSeconds(15)));
            registry.schedule(
                    "once/tomorrow", () -> {}, TaskSchedule.once(Instant.now().plus(Duration.ofDays(1))));
        }

        private static void sync(boolean failing) {
            if (failing) {
                throw new IllegalStateException("<b>The tenant's database</b> does not answer");
            }
        }

        @Scheduled(cron = "0 0 9 * * MON-FRI", zone = "Europe/Berlin")
        void remindEveryone() {}

        @Scheduled(fixedRate = 1_000)
        void beat() {}

        @Scheduled(fixedDelay = 3_000)
        void poll() throws InterruptedException {
            Thread.sleep(800);
        }

        @Scheduled(fixedRate = 5_000)
        void failAlways() {
            throw new IllegalStateException("The warehouse does not answer", new IOException("Connection refused"));
        }

        /** Takes longer than its period. */
        @Scheduled(fixedRate = 2_000)
        void overrun() throws InterruptedException {
            Thread.sleep(3_000);
        }

        /** Does not end. */
        @Scheduled(fixedRate = 60_000)
        void hang() throws InterruptedException {
            Thread.sleep(Duration.ofDays(1).toMillis());
        }

        @Scheduled(fixedRate = 10_000, scheduler = "reports")
        void reportOfSales() throws InterruptedException {
            Thread.sleep(20_000);
        }

        @Scheduled(fixedRate = 10_000, scheduler = "reports")
        void reportOfStock() throws InterruptedException {
            Thread.sleep(20_000);
        }

        /** Waits for a worker of its group, so it is late. */
        @Scheduled(fixedRate = 10_000, scheduler = "reports")
        void reportOfVisits() {}

        @Scheduled(fixedRate = 1_000, scheduler = "mails")
        void mail() throws InterruptedException {
            Thread.sleep(200);
        }
    }
}
