package io.github.wheelscheduler.usewith;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.util.ErrorHandler;

/**
 * The same tasks on Boot's scheduler and on the wheel, in a JVM with OpenTelemetry's Java agent. The first runs of each
 * print which span is current, and so do error handlers.
 */
final class AgentProgram {

    /** The end of the name of a task that is scheduled while a span is current. */
    static final String IN_REQUEST = "-in-request";

    /** The number of runs of each repeating task. */
    private static final int RUNS = 3;

    /** The number of names that {@link Runs#note} is to be called with. */
    private static final int TASKS = 27;

    private static final Duration PERIOD = Duration.ofMillis(20);

    private AgentProgram() {}

    public static void main(String[] args) throws InterruptedException {
        play("boot", OnBoot.class);
        play("wheel", OnTheWheel.class);
        play("observed", Observed.class, "wheel.scheduler.observe=all", "management.tracing.sampling.probability=1.0");
        if (Runtime.version().feature() >= 21) {
            play("virtual-boot", OnBoot.class, "spring.threads.virtual.enabled=true");
            play("virtual-wheel", OnTheWheel.class, "spring.threads.virtual.enabled=true");
        }
    }

    @SuppressWarnings("try") // the scope ends, and is used for nothing else
    private static void play(String scheduler, Class<?> configuration, String... properties)
            throws InterruptedException {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(properties)
                .properties("scheduler=" + scheduler, "spring.task.scheduling.thread-name-prefix=" + scheduler + "-")
                .run()) {
            TaskScheduler used = context.getBean(TaskScheduler.class);
            Runs runs = context.getBean(Runs.class);
            repeat(used, runs, "");
            once(used, runs, "");
            Span request = GlobalOpenTelemetry.getTracer("program")
                    .spanBuilder("request of " + scheduler)
                    .startSpan();
            try (Scope ignored = request.makeCurrent()) {
                repeat(used, runs, IN_REQUEST);
                once(used, runs, IN_REQUEST);
            } finally {
                request.end();
            }
            runs.await(scheduler, TASKS);
        }
    }

    private static void once(TaskScheduler used, Runs runs, String where) {
        Future<?> ignored = used.schedule(runs.task("once" + where), Instant.now());
        ignored = used.schedule(runs.task("once-later" + where), Instant.now().plus(PERIOD));
        AsyncTaskExecutor executor = (AsyncTaskExecutor) used;
        executor.execute(runs.task("once-executed" + where));
        ignored = executor.submit(runs.task("once-submitted" + where));
    }

    private static void repeat(TaskScheduler used, Runs runs, String where) {
        Future<?> ignored = used.scheduleAtFixedRate(runs.task("rate" + where), PERIOD);
        ignored = used.scheduleAtFixedRate(runs.task("rate-from" + where), Instant.now(), PERIOD);
        ignored = used.scheduleWithFixedDelay(runs.task("delay" + where), PERIOD);
        ignored = used.scheduleWithFixedDelay(runs.task("delay-from" + where), Instant.now(), PERIOD);
        ignored = used.schedule(runs.task("trigger" + where), new PeriodicTrigger(PERIOD));
        ignored = used.scheduleAtFixedRate(
                () -> {
                    runs.task("failing" + where).run();
                    throw new IllegalStateException("failing" + where);
                },
                PERIOD);
    }

    /** The runs so far. */
    static final class Runs {

        private final String scheduler;
        private final Map<String, CountDownLatch> left = new ConcurrentHashMap<>();

        Runs(String scheduler) {
            this.scheduler = scheduler;
        }

        /** A run of a task, or an error handler is called for it. */
        void note(String task) {
            CountDownLatch runs = left.computeIfAbsent(task, Runs::latch);
            if (runs.getCount() > 0) {
                SpanContext current = Span.current().getSpanContext();
                // As the agent does its spans: lines are not mixed.
                System.err.println(
                        "run: " + scheduler + " " + task + " " + current.getTraceId() + " " + current.getSpanId());
                runs.countDown();
            }
        }

        private static CountDownLatch latch(String task) {
            return new CountDownLatch(task.startsWith("once") ? 1 : task.endsWith("cron") ? 2 : RUNS);
        }

        Runnable task(String name) {
            return new Noted(this, name);
        }

        void await(String what, int tasks) throws InterruptedException {
            long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (left.size() < tasks) {
                if (System.nanoTime() - endNanos > 0) {
                    throw new IllegalStateException(what + " must run " + tasks + " tasks, was " + left.keySet());
                }
                Thread.onSpinWait();
            }
            for (Map.Entry<String, CountDownLatch> each : left.entrySet()) {
                if (!each.getValue().await(30, TimeUnit.SECONDS)) {
                    throw new IllegalStateException(what + " must run " + each.getKey());
                }
            }
        }
    }

    /** A task of a class of its own, after which the agent names the span. */
    record Noted(Runs runs, String name) implements Runnable {

        @Override
        public void run() {
            runs.note(name);
        }
    }

    static class Jobs {

        private final Runs runs;

        Jobs(Runs runs) {
            this.runs = runs;
        }

        @Scheduled(fixedRate = 20)
        void annotatedRate() {
            runs.note("annotated-rate");
        }

        @Scheduled(fixedDelay = 20)
        void annotatedDelay() {
            runs.note("annotated-delay");
        }

        @Scheduled(cron = "* * * * * *")
        void annotatedCron() {
            runs.note("annotated-cron");
        }

        @Scheduled(fixedRate = 20)
        void annotatedFailing() {
            runs.note("annotated-failing");
            throw new IllegalStateException("annotated-failing");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Both {

        @Bean
        Runs runs(Environment environment) {
            return new Runs(environment.getRequiredProperty("scheduler"));
        }

        @Bean
        Jobs jobs(Runs runs) {
            return new Jobs(runs);
        }

        @Bean
        static BeanPostProcessor handlerOfErrors(ObjectProvider<Runs> runs) {
            ErrorHandler handler = thrown -> runs.getObject().note("handler-of-" + thrown.getMessage());
            return new BeanPostProcessor() {
                @Override
                public Object postProcessBeforeInitialization(Object bean, String beanName) {
                    if (bean instanceof ThreadPoolTaskScheduler scheduler) {
                        scheduler.setErrorHandler(handler);
                    } else if (bean instanceof SimpleAsyncTaskScheduler scheduler) {
                        scheduler.setErrorHandler(handler);
                    }
                    return bean;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Both.class)
    @ImportAutoConfiguration(TaskSchedulingAutoConfiguration.class)
    static class OnBoot {}

    @Configuration(proxyBeanMethods = false)
    @Import(Both.class)
    @ImportAutoConfiguration({
        TaskSchedulingAutoConfiguration.class,
        TimerWheelAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class
    })
    static class OnTheWheel {}

    /** With Micrometer Tracing, whose spans the agent exports. */
    @Configuration(proxyBeanMethods = false)
    @Import({Both.class, TracedApplication.OpenTelemetry.class})
    static class Observed {

        @Bean
        OpenTelemetry openTelemetryOfTheAgent() {
            return GlobalOpenTelemetry.get();
        }
    }
}
