package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.TaskPausedAfterFailuresEvent;
import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.Overlap;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** What is set for single tasks, by annotation, in code and by property, as an application sees it, in virtual time. */
@ExtendWith(OutputCaptureExtension.class)
class TaskSettingsInApplicationTest {

    private static final String TASKS = "--wheel.scheduler.tasks.";
    private static final String POLL = "--wheel.scheduler.tasks[" + Jobs.class.getName() + ".poll].";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @AutoConfigureVirtualTime(start = "2030-03-30T12:00:00Z", zone = "Europe/Berlin")
    static class Application {

        @Bean
        Jobs jobs(VirtualTime time) {
            return new Jobs(time);
        }
    }

    static class Jobs {

        private final VirtualTime time;
        final List<String> runs = new ArrayList<>();
        final List<String> paused = new ArrayList<>();

        Jobs(VirtualTime time) {
            this.time = time;
        }

        List<String> runsOf(String name) {
            return runs.stream()
                    .filter(run -> run.startsWith(name + " "))
                    .map(run -> run.substring(name.length() + 1))
                    .toList();
        }

        private void ran(String name) {
            runs.add(name + " " + Duration.between(Instant.parse("2030-03-30T12:00:00Z"), time.now()));
        }

        @Scheduled(fixedRate = 60_000)
        void poll() {
            ran("poll");
        }

        @Scheduled(cron = "0 30 2 * * *")
        @WheelTask(id = "nightly", gap = Gap.SHIFT, overlap = Overlap.BOTH)
        void night() {
            ran("night");
        }

        @Scheduled(fixedRate = 60_000)
        @WheelTask(
                id = "failing",
                missedRuns = MissedRuns.LATEST,
                jitter = "${failing.jitter:}",
                backOff = @WheelTask.BackOff(delay = "3m", multiplier = 1, maxDelay = "3m"),
                timeLimit = "10m",
                pauseAfterFailures = 3)
        void fail() {
            ran("fail");
            throw new IllegalStateException("as it must");
        }

        @Scheduled(cron = "-")
        void never() {
            ran("never");
        }

        @Scheduled(initialDelay = 120_000)
        @WheelTask("once")
        void once() {
            ran("once");
        }

        @EventListener
        void hear(TaskPausedAfterFailuresEvent event) {
            paused.add(event.getTaskId() + " " + event.getFailures());
        }
    }

    private static void withApplication(BiConsumer<ConfigurableApplicationContext, Jobs> test, String... properties) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(properties)) {
            test.accept(context, context.getBean(Jobs.class));
        }
    }

    private static TaskRegistry registry(ConfigurableApplicationContext context) {
        return context.getBean(WheelTaskScheduler.class).getTaskRegistry();
    }

    private static void advance(ConfigurableApplicationContext context, String duration) {
        context.getBean(VirtualTime.class).advanceBy(Duration.parse(duration));
    }

    /** Each property, and what it does to which task within how long. */
    static Stream<Arguments> properties() {
        return Stream.of(
                Arguments.of("poll", "PT3M", List.of(POLL + "enabled=false"), List.of()),
                Arguments.of("poll", "PT2H", List.of(POLL + "cron=0 0 * * * *"), List.of("PT1H", "PT2H")),
                Arguments.of("poll", "PT3M", List.of(POLL + "cron=-"), List.of()),
                Arguments.of(
                        "poll", "PT24H", List.of(POLL + "cron=0 0 0 * * *", POLL + "zone=Asia/Tokyo"), List.of("PT3H")),
                Arguments.of("night", "PT24H", List.of(TASKS + "nightly.zone=Asia/Tokyo"), List.of("PT5H30M")),
                Arguments.of("poll", "PT9M", List.of(POLL + "fixed-rate=4m"), List.of("PT0S", "PT4M", "PT8M")),
                Arguments.of("poll", "PT9M", List.of(POLL + "fixed-delay=PT5M"), List.of("PT0S", "PT5M")),
                Arguments.of("poll", "PT2M", List.of(POLL + "initial-delay=30s"), List.of("PT30S", "PT1M30S")),
                Arguments.of("once", "PT9M", List.of(TASKS + "once.initial-delay=5m"), List.of("PT5M")),
                Arguments.of("night", "PT24H", List.of(), List.of("PT13H30M")),
                Arguments.of("night", "PT24H", List.of(TASKS + "nightly.gap=skip"), List.of()),
                Arguments.of("fail", "PT20M", List.of(), List.of("PT0S", "PT3M", "PT6M")),
                Arguments.of(
                        "fail", "PT20M", List.of(TASKS + "failing.pause-after-failures=2"), List.of("PT0S", "PT3M")),
                Arguments.of(
                        "fail",
                        "PT20M",
                        List.of(
                                TASKS + "failing.back-off.delay=1m",
                                TASKS + "failing.back-off.multiplier=4",
                                TASKS + "failing.back-off.max-delay=10m"),
                        List.of("PT0S", "PT1M", "PT5M")),
                Arguments.of(
                        "fail", "PT20M", List.of(TASKS + "failing.back-off.delay=1m"), List.of("PT0S", "PT1M", "PT2M")),
                Arguments.of(
                        "fail",
                        "PT20M",
                        List.of(TASKS + "failing.back-off.multiplier=2", TASKS + "failing.back-off.max-delay=12m"),
                        List.of("PT0S", "PT3M", "PT9M")));
    }

    @ParameterizedTest
    @MethodSource("properties")
    void propertyGoesOverTheAnnotation(String task, String duration, List<String> properties, List<String> runs) {
        for (String threads : List.of("true", "false")) {
            List<String> all = new ArrayList<>(properties);
            all.add("--spring.threads.virtual.enabled=" + threads);
            withApplication(
                    (context, jobs) -> {
                        advance(context, duration);
                        assertThat(jobs.runsOf(task)).containsExactlyElementsOf(runs);
                    },
                    all.toArray(String[]::new));
        }
    }

    @Test
    void missedRunsByProperty() {
        for (String policy : List.of("catch-up", "latest", "skip")) {
            withApplication(
                    (context, jobs) -> {
                        advance(context, "PT10S");
                        jobs.runs.clear();
                        context.getBean(VirtualTime.class).suspend(Duration.ofMinutes(5));
                        assertThat(jobs.runsOf("poll"))
                                .hasSize(Map.of("catch-up", 5, "latest", 1, "skip", 0)
                                        .get(policy));
                    },
                    POLL + "missed-runs=" + policy);
        }
    }

    @Test
    void jitterByPropertyAndByAPlaceholderInTheAnnotation() {
        withApplication(
                (context, jobs) -> {
                    advance(context, "PT1M");
                    assertThat(jobs.runsOf("poll").get(0)).isNotEqualTo("PT0S");
                    assertThat(registry(context).get("failing").settings().jitter())
                            .isEqualTo(Duration.ofSeconds(20));
                    assertThat(registry(context)
                                    .get(Jobs.class.getName() + ".poll")
                                    .settings()
                                    .jitterKind())
                            .isEqualTo(JitterKind.FIXED);
                },
                POLL + "jitter=30s",
                POLL + "jitter-kind=fixed",
                "--failing.jitter=20s",
                "--wheel.scheduler.node=node-1");
    }

    @Test
    void taskIsPausedWithAnEventAndResumedByOneCall(CapturedOutput output) {
        withApplication((context, jobs) -> {
            advance(context, "PT30M");
            assertThat(jobs.paused).containsExactly("failing 3");
            assertThat(registry(context).get("failing").pausedAfterFailures()).isTrue();
            assertThat(output).containsOnlyOnce("Task failing has been paused after 3 failed runs in a row");
            registry(context).resume("failing");
            advance(context, "PT2M");
            assertThat(jobs.runsOf("fail")).hasSize(4);
        });
    }

    @Test
    void disabledTaskIsListedAndCanBeTriggeredAndEnabled() {
        withApplication(
                (context, jobs) -> {
                    String id = Jobs.class.getName() + ".poll";
                    TaskRegistry registry = registry(context);
                    assertThat(registry.get(id).state()).isEqualTo(TaskInfo.State.DISABLED);
                    assertThat(registry.get(id).next()).isNull();
                    assertThat(registry.get("once").state()).isEqualTo(TaskInfo.State.DISABLED);
                    registry.trigger(id);
                    registry.trigger("once");
                    advance(context, "PT3M");
                    assertThat(jobs.runsOf("poll")).containsExactly("PT0S");
                    assertThat(jobs.runsOf("once")).containsExactly("PT0S");
                    assertThat(registry.get(id).state()).isEqualTo(TaskInfo.State.DISABLED);
                    registry.resume(id);
                    assertThat(registry.get(id).state()).isEqualTo(TaskInfo.State.PENDING);
                    advance(context, "PT2M");
                    assertThat(jobs.runsOf("poll")).containsExactly("PT0S", "PT4M", "PT5M");
                },
                POLL + "enabled=false",
                TASKS + "once.enabled=false");
    }

    @Test
    void propertiesOverrideSettingsOfTheCode() {
        withApplication(
                (context, jobs) -> {
                    context.getBean(TaskCatalog.class)
                            .set(
                                    "later",
                                    TaskSettings.builder()
                                            .jitter(Duration.ofSeconds(1))
                                            .build());
                    assertThat(registry(context).get("failing").settings().toMap())
                            .containsExactly(
                                    Map.entry("missed-runs", "skip"),
                                    Map.entry("time-limit", "PT10M"),
                                    Map.entry("back-off.delay", "PT3M"),
                                    Map.entry("back-off.multiplier", "1.0"),
                                    Map.entry("back-off.max-delay", "PT3M"),
                                    Map.entry("pause-after-failures", "3"));
                },
                TASKS + "failing.missed-runs=skip");
    }

    @Test
    void idThatNoTaskHasIsNamedWithTheNearest(CapturedOutput output) {
        withApplication(
                (context, jobs) -> {},
                TASKS + "nightli.enabled=false",
                TASKS + "failing.jitter=1s",
                "--wheel.scheduler.tasks[" + Jobs.class.getName() + ".never].enabled=false");
        assertThat(output)
                .containsOnlyOnce("no task has the id")
                .contains("no task has the id 'nightli'. The closest match: 'nightly', written "
                        + "wheel.scheduler.tasks.nightly.enabled");
    }

    @Test
    void settingThatDoesNothingForASchedulingIsNamed(CapturedOutput output) {
        withApplication((context, jobs) -> {}, POLL + "gap=shift", POLL + "zone=Asia/Tokyo");
        assertThat(output)
                .containsOnlyOnce(
                        "have no effect, as its schedule is fixed-rate 1 min; remove them, or change the schedule: "
                                + "[zone, gap]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cron=every day",
                "fixed-rate=0s",
                "fixed-delay=-1s",
                "initial-delay=-1s",
                "jitter=-5s",
                "time-limit=0",
                "back-off.delay=0s",
                "back-off.multiplier=2",
                "pause-after-failures=-1",
                "missed-runs=sometimes",
                "jitter-kind=big",
                "gap=jump",
                "overlap=third",
                "zone=Mars/Olympus",
                "enabled=perhaps"
            })
    void aValueThatCannotWorkStopsTheStartAndNamesTheProperty(String written, CapturedOutput output) {
        String setting = written.substring(0, written.indexOf('='));
        try {
            withApplication((context, jobs) -> {}, TASKS + "nightly." + written);
        } catch (RuntimeException ex) {
            String named = setting.equals("back-off.multiplier") ? "back-off.delay" : setting;
            assertThat(output).contains("wheel.scheduler.tasks.nightly." + named);
            return;
        }
        throw new AssertionError("It must not start with " + written);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    static class Twins {

        @Bean
        OneTwin one() {
            return new OneTwin();
        }

        @Bean
        OtherTwin other() {
            return new OtherTwin();
        }
    }

    static class OneTwin {

        @Scheduled(cron = "0 0 0 1 1 *")
        @WheelTask("twin")
        void run() {}
    }

    static class OtherTwin {

        @Scheduled(cron = "0 0 0 1 1 *")
        @WheelTask("twin")
        void run() {}
    }

    @Test
    void idThatTwoMethodsShareStopsTheStart(CapturedOutput output) {
        SpringApplication application = new SpringApplication(Twins.class);
        try (ConfigurableApplicationContext context = application.run()) {
            throw new AssertionError("It must not start: " + context);
        } catch (RuntimeException ex) {
            assertThat(ex)
                    .hasStackTraceContaining("twin belongs to " + OneTwin.class.getName() + ".run and to "
                            + OtherTwin.class.getName() + ".run");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @AutoConfigureVirtualTime
    static class Heirs {

        @Bean
        OneHeir one() {
            return new OneHeir();
        }

        @Bean
        OtherHeir other() {
            return new OtherHeir();
        }
    }

    abstract static class Parent {

        int runs;

        @Scheduled(fixedRate = 60_000)
        void poll() {
            runs++;
        }
    }

    static class OneHeir extends Parent {}

    static class OtherHeir extends Parent {}

    @Test
    void methodThatTwoBeansInheritHasAnIdAndSettingsForEach() {
        SpringApplication application = new SpringApplication(Heirs.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        String disabled = "--wheel.scheduler.tasks[" + OtherHeir.class.getName() + ".poll].enabled=false";
        try (ConfigurableApplicationContext context = application.run(disabled)) {
            assertThat(registry(context).ids())
                    .containsExactly(OneHeir.class.getName() + ".poll", OtherHeir.class.getName() + ".poll");
            advance(context, "PT2M");
            assertThat(context.getBean(OneHeir.class).runs).isEqualTo(3);
            assertThat(context.getBean(OtherHeir.class).runs).isZero();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @AutoConfigureVirtualTime
    static class SeveralOfOneClass {

        @Bean
        OneHeir first() {
            return new OneHeir();
        }

        @Bean
        OneHeir second() {
            return new OneHeir();
        }

        @Bean("third/;bean")
        OneHeir third() {
            return new OneHeir();
        }
    }

    @Test
    void furtherBeansOfAClassHaveIdsWithTheirNames() {
        SpringApplication application = new SpringApplication(SeveralOfOneClass.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        String poll = OneHeir.class.getName() + ".poll";
        try (ConfigurableApplicationContext context = application.run(
                TASKS + poll + ".jitter=1s",
                TASKS + poll + ".initial-delay=1m",
                "--wheel.scheduler.tasks[" + poll + "@second].enabled=false",
                TASKS + poll + "@second.jitter=2s",
                TASKS + poll + "@first.jitter=3s")) {
            TaskRegistry registry = registry(context);
            assertThat(registry.ids()).containsExactly(poll, poll + "@second", poll + "@third/?bean");
            assertThat(registry.get(poll).settings().jitter()).isEqualTo(Duration.ofSeconds(3));
            assertThat(registry.get(poll + "@second").settings().jitter()).isEqualTo(Duration.ofSeconds(2));
            assertThat(registry.get(poll + "@third/?bean").settings().jitter()).isEqualTo(Duration.ofSeconds(1));
            advance(context, "PT2M30S");
            assertThat(context.getBean("first", OneHeir.class).runs).isEqualTo(2);
            assertThat(context.getBean("second", OneHeir.class).runs).isZero();
        }
    }

    static class Unreachable {

        @Scheduled(fixedRate = 60_000)
        @WheelTask("a;b")
        void run() {}
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    static class WithUnreachable {

        @Bean
        Unreachable unreachable() {
            return new Unreachable();
        }
    }

    @Test
    void idThatNoPathCanNameStopsTheStart() {
        SpringApplication application = new SpringApplication(WithUnreachable.class);
        try (ConfigurableApplicationContext context = application.run()) {
            throw new AssertionError("It must not start: " + context);
        } catch (RuntimeException ex) {
            assertThat(ex)
                    .hasStackTraceContaining("@WheelTask at " + Unreachable.class.getName()
                            + ".run must be usable: id must not contain");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @AutoConfigureVirtualTime
    static class OfItsOwn {

        @Bean
        TaskCatalog catalog() {
            TaskCatalog catalog = new TaskCatalog();
            catalog.set("orders", TaskSettings.builder().pauseAfterFailures(7).build());
            return catalog;
        }

        @Bean
        WheelTaskScheduler ownScheduler() {
            WheelTaskScheduler scheduler = new WheelTaskScheduler();
            scheduler
                    .getTaskCatalog()
                    .set("orders", TaskSettings.builder().pauseAfterFailures(9).build());
            scheduler
                    .getTaskCatalog()
                    .set("bills", TaskSettings.builder().pauseAfterFailures(5).build());
            return scheduler;
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {

        @Scheduled(fixedRate = 60_000)
        @WheelTask("orders")
        void orders() {}

        @Scheduled(fixedRate = 60_000)
        @WheelTask("bills")
        void bills() {}
    }

    @Test
    void propertiesHoldForTheApplicationsOwnScheduler() {
        SpringApplication application = new SpringApplication(OfItsOwn.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(TASKS + "orders.enabled=false")) {
            TaskRegistry registry = registry(context);
            assertThat(registry.get("orders").state()).isEqualTo(TaskInfo.State.DISABLED);
            assertThat(registry.get("orders").settings().pauseAfterFailures()).isEqualTo(7);
            assertThat(registry.get("bills").settings().pauseAfterFailures()).isEqualTo(5);
        }
    }

    interface Reporting {

        void report();
    }

    static class Reports implements Reporting {

        @Override
        @Scheduled(fixedRate = 60_000)
        @WheelTask("reports")
        public void report() {}
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @AutoConfigureVirtualTime
    static class Proxied {

        @Bean
        Reports reports() {
            return new Reports();
        }

        /** Comes last among the ones that have no order. */
        @Bean
        static BeanPostProcessor zzzProxies() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (!(bean instanceof Reports)) {
                        return bean;
                    }
                    ProxyFactory factory = new ProxyFactory(bean);
                    factory.setInterfaces(Reporting.class);
                    return factory.getProxy();
                }
            };
        }
    }

    @Test
    void proxyThatIsMadeLateChangesNothing() {
        SpringApplication application = new SpringApplication(Proxied.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run(TASKS + "reports.jitter=1s")) {
            assertThat(registry(context).ids()).containsExactly("reports");
            assertThat(registry(context).get("reports").settings().jitter()).isEqualTo(Duration.ofSeconds(1));
        }
    }
}
