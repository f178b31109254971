package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Durable tasks of an application that adds the dependency and a handler. */
class DurableAutoConfigurationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    @Test
    void longRunIsOneBeyondTheLimitOfTheWheel() {
        runner.withPropertyValues("wheel.scheduler.warn.run=5s")
                .run(context -> assertThat(DurableFindingsAutoConfiguration.longestRun(
                                context.getBean(TimerWheel.class), context.getBeanFactory()))
                        .isEqualTo(Duration.ofSeconds(5)));
    }

    record Invoice(String number) {}

    static class Invoices {
        final Queue<Object> sent = new ConcurrentLinkedQueue<>();

        @DurableHandler("invoice")
        void send(Invoice invoice) {
            sent.add(invoice);
        }

        @DurableHandler(value = "report", maxRetries = 0)
        void report() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInvoices {
        @Bean
        Invoices invoices() {
            return new Invoices();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTwoParameters {
        @Bean
        Object handler() {
            return new Object() {
                @DurableHandler("two")
                @SuppressWarnings("unused") // on purpose
                void two(String one, String two) {}
            };
        }
    }

    @Test
    void applicationWithoutTheModuleHasNothingOfIt() {
        FilteredClassLoader withoutModule =
                new FilteredClassLoader(name -> name.startsWith(DurableEngine.class.getPackageName())
                        && !name.startsWith(DurableAutoConfiguration.class.getPackageName()));
        runner.withConfiguration(AutoConfigurations.of(
                        DurableEndpointAutoConfiguration.class,
                        DurableMetricsAutoConfiguration.class,
                        DurableHealthAutoConfiguration.class))
                .withClassLoader(withoutModule)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeanDefinitionNames()).noneMatch(name -> name.contains("Durable"));
                });
    }

    @Test
    void runsAnnotatedMethods() {
        runner.withUserConfiguration(WithInvoices.class).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            assertThat(tasks.schedule("invoice", "1", new Invoice("4711"), Instant.now()))
                    .isTrue();
            assertThat(tasks.schedule("report", "1", null, Instant.now())).isTrue();

            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(context.getBean(Invoices.class).sent).containsExactly(new Invoice("4711")));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(tasks.list("report", DurableTask.State.FAILED, null, 10))
                            .singleElement()
                            .satisfies(task -> assertThat(task.failure()).contains("on purpose")));
        });
    }

    static class Letters {
        private static final Queue<Letters> USED = new ConcurrentLinkedQueue<>();

        @DurableHandler("letter")
        void send() {
            boolean ignored = USED.add(this);
        }
    }

    static class Never {
        private static final AtomicInteger MADE = new AtomicInteger();

        Never() {
            MADE.incrementAndGet();
        }

        @DurableHandler("never")
        @SuppressWarnings("unused") // on purpose
        void never() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithPrototypes {
        @Bean
        @Scope("prototype")
        Letters letters() {
            return new Letters();
        }

        @Bean
        @Scope("prototype")
        Never never() {
            return new Never();
        }
    }

    @Test
    void eachRunHasAPrototypeOfItsOwn() {
        runner.withUserConfiguration(WithPrototypes.class).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            for (String id : List.of("1", "2")) {
                assertThat(tasks.schedule("letter", id, null, Instant.now())).isTrue();
            }
            await().atMost(PATIENCE).until(() -> Letters.USED.size() == 2);
            assertThat(Letters.USED).doesNotHaveDuplicates();
            assertThat(Never.MADE).hasValue(0);
        });
    }

    @Test
    void nodesTellEachOtherUnlessThatIsSwitchedOff() {
        runner.run(context -> assertThat(
                        context.getBean(DurableEngine.class).settings().nudge())
                .isTrue());
        runner.withPropertyValues("wheel.scheduler.durable.nudge=false")
                .run(context -> assertThat(
                                context.getBean(DurableEngine.class).settings().nudge())
                        .isFalse());
    }

    @Test
    void disabledMethodsAreScheduledAndDoNotRun() {
        runner.withUserConfiguration(WithInvoices.class)
                .withPropertyValues("wheel.scheduler.durable.enabled=false", "wheel.scheduler.durable.table=other")
                .run(context -> {
                    DurableTasks tasks = context.getBean(DurableTasks.class);
                    assertThat(tasks.schedule("invoice", "1", new Invoice("1"), Instant.now()))
                            .isTrue();
                    assertThat(context.getBean(DurableEngine.class).counts().claimed())
                            .isZero();
                    assertThat(tasks.find("invoice", "1")).isPresent();
                });
    }

    @Test
    void propertiesOfAHandlerGoOverItsAnnotation() {
        runner.withUserConfiguration(WithPatience.class)
                .withPropertyValues(
                        "wheel.scheduler.durable.handlers[slow.report].time-limit=200ms",
                        "wheel.scheduler.durable.handlers[slow.report].max-concurrent=1")
                .run(context -> {
                    DurableTasks tasks = context.getBean(DurableTasks.class);
                    assertThat(tasks.schedule("slow.report", "1", null, Instant.now()))
                            .isTrue();
                    await().atMost(PATIENCE)
                            .untilAsserted(
                                    () -> assertThat(tasks.list("slow.report", DurableTask.State.FAILED, null, 10))
                                            .singleElement()
                                            .satisfies(task -> assertThat(task.failure())
                                                    .contains("at its time limit of 200 ms")));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class WithPatience {
        @Bean
        Object handler() {
            return new Object() {
                @DurableHandler(value = "slow.report", maxRetries = 0, timeLimit = "${no.limit:1h}")
                @SuppressWarnings("unused") // found by its annotation
                void report() throws InterruptedException {
                    new java.util.concurrent.CountDownLatch(1).await();
                }
            };
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            handlers.invoce.time-limit=1s       | wheel.scheduler.durable.handlers.invoce must name a method
            handlers.invoice.time-limit=0s      | timeLimit must be 1 ms to 1,000 years, was PT0S
            handlers.invoice.max-concurrent=0   | maxConcurrent must be at least 1, was 0
            handlers.invoice.max-concurent=1    | wheel.scheduler.durable.handlers.invoice.max-concurent
            max-concurent=1                     | wheel.scheduler.durable.max-concurent
            """)
    void propertyThatMeansNothingStopsTheStart(String property, String text) {
        runner.withUserConfiguration(WithInvoices.class)
                .withPropertyValues("wheel.scheduler.durable." + property)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(text));
    }

    @Test
    void methodThatCannotRunTasksStopsTheStart() {
        runner.withUserConfiguration(WithTwoParameters.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining(
                                "must have one parameter at most, the payload, and a DurableRun behind it"));
    }

    @Test
    void badValuesStopTheStart() {
        runner.withPropertyValues("wheel.scheduler.durable.heartbeat=1ms")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("heartbeat must be 100 ms to 1 minute, was PT0.001S"));
    }

    static class Ticking {
        final AtomicInteger ticks = new AtomicInteger();
        final AtomicInteger plain = new AtomicInteger();

        @Durable
        @Scheduled(fixedRate = 100)
        void tick() {
            ticks.incrementAndGet();
        }

        @Scheduled(fixedRate = 100)
        void plain() {
            plain.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class WithTicking {
        @Bean
        Ticking ticking() {
            return new Ticking();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class WithSchedulerOfItsOwn {
        @Bean
        Ticking ticking() {
            return new Ticking();
        }

        @Bean
        org.springframework.scheduling.TaskScheduler taskScheduler() {
            return new org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler();
        }
    }

    @Test
    void annotatedSchedulesAreRowsAndOthersStay() {
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class)
                .run(context -> {
                    Ticking ticking = context.getBean(Ticking.class);
                    await().atMost(PATIENCE).until(() -> ticking.ticks.get() >= 3 && ticking.plain.get() >= 3);
                    String id = Ticking.class.getName() + ".tick";
                    assertThat(context.getBean(RecurringTasks.class).find(id)).isPresent();
                    assertThat(context.getBean(WheelTaskScheduler.class)
                                    .getTaskRegistry()
                                    .list(0, 100))
                            .extracting(TaskInfo::id)
                            .containsExactly(Ticking.class.getName() + ".plain");
                });
    }

    @Test
    void eachBeanOfAClassHasARowOfItsOwn() {
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class)
                .withBean("first", Ticking.class, Ticking::new)
                .run(context -> {
                    Ticking other = context.getBean("ticking", Ticking.class);
                    Ticking first = context.getBean("first", Ticking.class);
                    await().atMost(PATIENCE).until(() -> first.ticks.get() >= 3 && other.ticks.get() >= 3);
                    RecurringTasks tasks = context.getBean(RecurringTasks.class);
                    String id = Ticking.class.getName() + ".tick";
                    assertThat(tasks.list()).extracting(RecurringTask::id).containsExactly(id, id + "@ticking");
                    assertThat(tasks.pause(id + "@ticking")).isTrue();
                    assertThat(tasks.find(id).orElseThrow().isPaused()).isFalse();
                    assertThat(tasks.find(id + "@ticking").orElseThrow().isPaused())
                            .isTrue();
                });
    }

    @Test
    void disabledAnnotatedSchedulesDoNotRun() {
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class)
                .withPropertyValues("wheel.scheduler.durable.enabled=false")
                .run(context -> {
                    Ticking ticking = context.getBean(Ticking.class);
                    await().atMost(PATIENCE).until(() -> ticking.plain.get() >= 5);
                    assertThat(ticking.ticks).hasValue(0);
                });
    }

    @Test
    void durableTaskDisabledOnANodeCannotBeResumedThere() {
        String id = Ticking.class.getName() + ".tick";
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class)
                .withPropertyValues("wheel.scheduler.tasks[" + id + "].enabled=false")
                .run(context -> {
                    Ticking ticking = context.getBean(Ticking.class);
                    await().atMost(PATIENCE).until(() -> ticking.plain.get() >= 5);
                    assertThat(ticking.ticks).hasValue(0);
                    assertThat(context.getBean(WheelTaskScheduler.class)
                                    .getTaskRegistry()
                                    .ids())
                            .doesNotContain(id);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "halted"})
    void durableMethodsRunElsewhereWhileTheModeIs(String mode) {
        ApplicationContextRunner nodes = runner.withConfiguration(
                        AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class);
        nodes.run(other -> nodes.withPropertyValues("wheel.scheduler.mode=" + mode)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Ticking here = context.getBean(Ticking.class);
                    Ticking there = other.getBean(Ticking.class);
                    int before = there.ticks.get();
                    await().atMost(PATIENCE).until(() -> there.ticks.get() >= before + 3);
                    assertThat(here.ticks).hasValue(0);
                    assertThat(here.plain).hasValue(0);
                    assertThat(context.getBean(RecurringTasks.class).list())
                            .extracting(RecurringTask::id)
                            .containsExactly(Ticking.class.getName() + ".tick");
                }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "halted"})
    void handlersRunElsewhereUntilTheModeIsRun(String mode) {
        ApplicationContextRunner nodes = runner.withUserConfiguration(WithInvoices.class);
        nodes.withPropertyValues("wheel.scheduler.mode=" + mode).run(context -> {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            Queue<Object> here = context.getBean(Invoices.class).sent;
            assertThat(tasks.schedule("invoice", "1", new Invoice("1"), Instant.now()))
                    .isTrue();
            nodes.run(other -> await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(other.getBean(Invoices.class).sent).containsExactly(new Invoice("1"))));
            assertThat(here).isEmpty();
            context.getBean(TimerWheel.class).scheduler().setMode(SchedulerMode.RUN);
            assertThat(tasks.schedule("invoice", "2", new Invoice("2"), Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(here).containsExactly(new Invoice("2")));
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "missed-runs=latest",
                "jitter=5s",
                "jitter-kind=fixed",
                "gap=skip",
                "overlap=first",
                "time-limit=10m",
                "back-off.delay=10s",
                "pause-after-failures=10"
            })
    void aSettingThatDurableTasksDoNotHaveStopsTheStart(String setting) {
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class)
                .withPropertyValues("wheel.scheduler.tasks[" + Ticking.class.getName() + ".tick]." + setting)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                "A method with @Durable must have no setting but for its schedule, but "
                                        + setting.substring(0, setting.indexOf('='))));
    }

    @Test
    void schedulerThatIsNotOnTheWheelStopsTheStart() {
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithSchedulerOfItsOwn.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("must be scheduled by a scheduler on the wheel, but is not"));
    }

    @Test
    void wheelThatIsSwitchedOffStopsTheStart() {
        runner.withConfiguration(AutoConfigurations.of(WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(WithTicking.class)
                .withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("must be scheduled by a scheduler on the wheel, but is not"));
    }

    @Configuration(proxyBeanMethods = false)
    static class WithRegistry {
        @Bean
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    private static double lastSuccess(SimpleMeterRegistry registry) {
        return registry.get("wheel.scheduler.durable.last.success")
                .tag("handler", "invoice")
                .timeGauge()
                .value(TimeUnit.SECONDS);
    }

    @Test
    void hasMetersAndHealth() {
        runner.withConfiguration(AutoConfigurations.of(
                        DurableMetricsAutoConfiguration.class, DurableHealthAutoConfiguration.class))
                .withUserConfiguration(WithInvoices.class, WithRegistry.class)
                .run(context -> {
                    SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
                    for (String outcome : List.of("SUCCESS", "ERROR")) {
                        assertThat(registry.get("wheel.scheduler.durable.run")
                                        .tags("handler", "invoice", "outcome", outcome)
                                        .timer()
                                        .count())
                                .as("from the start, %s", outcome)
                                .isZero();
                    }
                    assertThat(lastSuccess(registry)).isNaN();
                    assertThat(registry.get("wheel.scheduler.durable.success.age")
                                    .tag("handler", "invoice")
                                    .timeGauge()
                                    .value(TimeUnit.SECONDS))
                            .isBetween(0.0, PATIENCE.toSeconds() + 0.0);
                    double before = System.currentTimeMillis() / 1e3;
                    assertThat(context.getBean(DurableTasks.class)
                                    .schedule("invoice", "1", new Invoice("1"), Instant.now()))
                            .isTrue();

                    await().atMost(PATIENCE)
                            .ignoreException(MeterNotFoundException.class)
                            .untilAsserted(() -> assertThat(registry.get("wheel.scheduler.durable.run")
                                            .tags("handler", "invoice", "outcome", "SUCCESS")
                                            .timer()
                                            .count())
                                    .isEqualTo(1));
                    assertThat(lastSuccess(registry)).isBetween(before, System.currentTimeMillis() / 1e3);
                    assertThat(registry.get("wheel.scheduler.durable.lateness")
                                    .tag("handler", "invoice")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("wheel.scheduler.durable.claimed")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.get("wheel.scheduler.durable.clock.error")
                                    .timeGauge()
                                    .value(TimeUnit.SECONDS))
                            .isBetween(0.0, 1.0);
                    Health health = ((HealthIndicator) context.getBean("wheelDurableHealthContributor")).health();
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(health.getDetails()).containsKeys("node", "waiting", "running", "clockError");
                });
    }

    static class Lists {
        final Queue<Object> seen = new ConcurrentLinkedQueue<>();

        @DurableHandler("list")
        void all(List<Invoice> invoices) {
            seen.addAll(invoices);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithLists {
        @Bean
        Lists lists() {
            return new Lists();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithFuture {
        @Bean
        Object handler() {
            return new Object() {
                @DurableHandler("future")
                @SuppressWarnings("unused") // on purpose
                java.util.concurrent.CompletableFuture<Void> later(String one) {
                    return new java.util.concurrent.CompletableFuture<>();
                }
            };
        }
    }

    abstract static class Answering<R> {
        abstract R answer();

        @DurableHandler("answer")
        @SuppressWarnings("unused") // found by its annotation
        public R run() {
            return answer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithInheritedFuture {
        @Bean
        Answering<java.util.concurrent.CompletableFuture<Void>> handler() {
            return new Later();
        }
    }

    static class Later extends Answering<java.util.concurrent.CompletableFuture<Void>> {
        @Override
        java.util.concurrent.CompletableFuture<Void> answer() {
            return new java.util.concurrent.CompletableFuture<>();
        }
    }

    @Test
    void payloadMayBeAListOfSomething() {
        runner.withUserConfiguration(WithLists.class).run(context -> {
            assertThat(context.getBean(DurableTasks.class)
                            .schedule(
                                    "list", "1", java.util.List.of(new Invoice("1"), new Invoice("2")), Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(context.getBean(Lists.class).seen)
                            .containsExactly(new Invoice("1"), new Invoice("2")));
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {WithFuture.class, WithInheritedFuture.class})
    void methodThatReturnsBeforeItHasEndedStopsTheStart(Class<?> configuration) {
        runner.withUserConfiguration(configuration)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("must have ended when it returns, but returns a "
                                + "java.util.concurrent.CompletableFuture"));
    }

    @Test
    void contextThatIsStoppedAndStartedGoesOn() {
        runner.withUserConfiguration(WithInvoices.class).run(context -> {
            context.stop();
            context.start();
            assertThat(context.getBean(DurableTasks.class).schedule("invoice", "1", new Invoice("4711"), Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(context.getBean(Invoices.class).sent).containsExactly(new Invoice("4711")));
        });
    }
}
