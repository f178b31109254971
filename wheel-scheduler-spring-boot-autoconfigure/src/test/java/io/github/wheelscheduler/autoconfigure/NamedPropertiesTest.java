package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.entry;

import io.github.wheelscheduler.autoconfigure.testing.EnableAutoConfigurationButDurable;
import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Pollers;
import org.springframework.integration.endpoint.AbstractPollingEndpoint;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Properties of single tasks and groups find what they are meant for, and the log names each that finds nothing. */
@ExtendWith(OutputCaptureExtension.class)
class NamedPropertiesTest {

    private static final String TASKS = "--wheel.scheduler.tasks.";
    private static final String REST = Jobs.class.getName() + ".rest";
    private static final String HOUR = "PT1H";

    /** With what the properties are for only, as it is started many times. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TaskSchedulingAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class
    })
    @EnableScheduling
    static class Application {

        @Bean
        Jobs jobs(WheelTaskScheduler taskScheduler) {
            return new Jobs(taskScheduler.getTaskRegistry());
        }

        @Bean
        Base first() {
            return new Base();
        }

        @Bean
        Base second() {
            return new Base();
        }
    }

    static class Base {

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        void poll() {}
    }

    static class Jobs {

        private final TaskRegistry registry;

        Jobs(TaskRegistry registry) {
            this.registry = registry;
        }

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        @WheelTask("app.Jobs.poll")
        void poll() {}

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        @WheelTask("import-orders")
        void importOrders() {}

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        @WheelTask("twin")
        void twin() {}

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        @WheelTask("Twin")
        void otherTwin() {}

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        void rest() {}

        @Scheduled(cron = "${never:-}")
        @WheelTask("never")
        void never() {}

        @EventListener
        void schedule(ApplicationStartedEvent event) {
            Future<?> ignored = registry.schedule("late.Export", () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
        }
    }

    private static void run(
            List<PropertySource<?>> sources, Consumer<ConfigurableApplicationContext> test, String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(context -> sources.forEach(
                source -> context.getEnvironment().getPropertySources().addFirst(source)));
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            test.accept(context);
        }
    }

    private static void run(Consumer<ConfigurableApplicationContext> test, String... arguments) {
        run(List.of(), test, arguments);
    }

    private static void runIn(Map<String, Object> environment, Consumer<ConfigurableApplicationContext> test) {
        run(List.of(new SystemEnvironmentPropertySource("test-systemEnvironment", environment)), test);
    }

    private static void failToStart(String... arguments) {
        assertThatException().isThrownBy(() -> run(context -> {}, arguments));
    }

    private static TaskInfo task(ConfigurableApplicationContext context, String id) {
        return context.getBean(WheelTaskScheduler.class).getTaskRegistry().get(id);
    }

    private static void assertDisabled(ConfigurableApplicationContext context, String id) {
        assertThat(task(context, id).state()).as(id).isEqualTo(TaskInfo.State.DISABLED);
    }

    private static @Nullable Duration jitter(ConfigurableApplicationContext context, String id) {
        return task(context, id).settings().jitter();
    }

    private static String inYaml(Path directory, String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("more.yaml"), yaml);
        return "--spring.config.import=file:" + file;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "app.Jobs.poll",
                "[app.Jobs.poll]",
                "app.jobs.poll",
                "app-jobs-poll",
                "appJobs.poll",
                "app.[Jobs.poll]",
            })
    void anIdIsFoundWithAndWithoutDotsDashesAndBrackets(String id) {
        run(context -> assertDisabled(context, "app.Jobs.poll"), TASKS + id + ".enabled=false");
    }

    @Test
    void idOfClassAndMethodNeedsNoBrackets() {
        run(
                context -> {
                    assertDisabled(context, REST);
                    assertThat(task(context, REST).settings().backOff())
                            .hasFieldOrPropertyWithValue("maxDelay", Duration.ofMinutes(3));
                },
                TASKS + REST + ".enabled=${off:false}",
                TASKS + REST + ".backOff.delay=1m",
                TASKS + REST + ".back-off.max-delay=3m");
    }

    @Test
    void idWithABeanIsFoundWhereverItIsWritten(@TempDir Path directory) throws IOException {
        String base = Base.class.getName() + ".poll";
        String yaml = """
                wheel.scheduler.tasks:
                  %1$s: {jitter: 1s, missed-runs: skip}
                  %1$s@first: {time-limit: 1s}
                  %1$s@second: {time-limit: 2s}
                  "[%1$s@second]": {pause-after-failures: 2}
                """.formatted(base);
        String inEnvironment =
                "WHEEL_SCHEDULER_TASKS_" + base.replaceAll("[.$]", "_").toUpperCase(Locale.ROOT);
        run(
                List.of(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of(inEnvironment + "_SECOND_JITTER", "3s"))),
                context -> {
                    assertThat(task(context, base).settings().toMap())
                            .containsOnly(
                                    entry("jitter", "PT1S"), entry("missed-runs", "skip"), entry("time-limit", "PT1S"));
                    assertThat(task(context, base + "@second").settings().toMap())
                            .containsOnly(
                                    entry("jitter", "PT3S"),
                                    entry("missed-runs", "skip"),
                                    entry("time-limit", "PT2S"),
                                    entry("pause-after-failures", "2"),
                                    entry("fixed-rate", "PT2H"));
                },
                inYaml(directory, yaml),
                TASKS + base + "@second.fixedRate=2h",
                "--wheel.scheduler.unknown-tasks=fail");
    }

    @Test
    void eachSettingHasThePropertyThatItComesFrom(@TempDir Path directory) throws IOException {
        String yaml = """
                wheel.scheduler.tasks:
                  app.jobs.poll: {jitter: 1s, missed-runs: skip}
                  twin: {time-limit: 9s}
                """;
        run(
                List.of(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("WHEEL_SCHEDULER_TASKS_APP_JOBS_POLL_TIME_LIMIT", "3s"))),
                context -> {
                    Map<String, String> sources = context.getBean(WheelTaskScheduler.class)
                            .getTaskRegistry()
                            .settingSources("app.Jobs.poll");
                    assertThat(sources).containsOnlyKeys("missed-runs", "jitter", "time-limit");
                    assertThat(sources.get("missed-runs"))
                            .startsWith("property wheel.scheduler.tasks.app.jobs.poll.missed-runs (from ")
                            .contains("more.yaml")
                            .endsWith(" - 2:44)");
                    assertThat(sources.get("jitter")).startsWith("property wheel.scheduler.tasks.app.Jobs.poll.jitter");
                    assertThat(sources.get("time-limit"))
                            .startsWith("property WHEEL_SCHEDULER_TASKS_APP_JOBS_POLL_TIME_LIMIT (from ");
                },
                inYaml(directory, yaml),
                TASKS + "app.Jobs.poll.jitter=2s");
    }

    @Test
    void unusableValueIsNamedByItsPropertyAlone(CapturedOutput output) {
        String base = Base.class.getName() + ".poll";
        String inEnvironment =
                "WHEEL_SCHEDULER_TASKS_" + base.replaceAll("[.$]", "_").toUpperCase(Locale.ROOT);
        assertThatException()
                .isThrownBy(() -> run(
                        List.of(new SystemEnvironmentPropertySource(
                                "test-systemEnvironment", Map.of(inEnvironment + "_FIRST_JITTER", "-1s"))),
                        context -> {},
                        TASKS + base + ".missed-runs=skip"));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(".first].jitter' is 'PT-1S', but it must not be negative")
                .doesNotContain("].wheel.scheduler.tasks");
    }

    @Test
    void idInYamlNeedsNoBrackets(@TempDir Path directory) throws IOException {
        String yaml = """
                wheel.scheduler.tasks:
                  app.Jobs.poll: {enabled: false}
                  import-orders:
                  app:
                    Jobs:
                      poll:
                        back-off: {delay: 5s, maxDelay: 1m}
                """;
        run(
                context -> {
                    assertDisabled(context, "app.Jobs.poll");
                    assertThat(task(context, "app.Jobs.poll").settings().backOff())
                            .hasFieldOrPropertyWithValue("maxDelay", Duration.ofMinutes(1));
                },
                inYaml(directory, yaml));
    }

    @ParameterizedTest
    @ValueSource(strings = {"APP_JOBS_POLL", "APPJOBSPOLL", "APP_JOBSPOLL"})
    void anEnvironmentVariableMayHaveUnderscoresForDots(String id) {
        String tasks = "WHEEL_SCHEDULER_TASKS_" + id;
        runIn(
                Map.of(
                        tasks + "_ENABLED",
                        "false",
                        tasks + "_BACK_OFF_DELAY",
                        "2s",
                        tasks + "_BACKOFF_MAXDELAY",
                        "7s",
                        tasks + "_PAUSE_AFTER_FAILURES",
                        "3"),
                context -> {
                    assertDisabled(context, "app.Jobs.poll");
                    TaskSettings settings = task(context, "app.Jobs.poll").settings();
                    assertThat(settings.toMap())
                            .containsEntry("back-off.delay", "PT2S")
                            .containsEntry("back-off.max-delay", "PT7S")
                            .containsEntry("pause-after-failures", "3");
                });
    }

    @Test
    void environmentGoesOverAFileHoweverTheIdIsWritten(@TempDir Path directory) throws IOException {
        String yaml =
                "wheel.scheduler.tasks:\n  \"[app.Jobs.poll]\": {jitter: 1s, fixed-rate: 5m, missed-runs: skip}\n";
        run(
                List.of(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment",
                        Map.of(
                                "WHEEL_SCHEDULER_TASKS_APP_JOBS_POLL_JITTER",
                                "2s",
                                "WHEEL_SCHEDULER_TASKS_APPJOBSPOLL_CRON",
                                "0 0 * * * *"))),
                context -> {
                    TaskInfo poll = task(context, "app.Jobs.poll");
                    assertThat(poll.settings().toMap())
                            .containsEntry("jitter", "PT2S")
                            .containsEntry("cron", "0 0 * * * *")
                            .containsEntry("missed-runs", "skip")
                            .doesNotContainKey("fixed-rate");
                },
                inYaml(directory, yaml));
    }

    @Test
    void exactSpellingGoesFirst() {
        run(
                context -> {
                    assertThat(jitter(context, "import-orders")).isEqualTo(Duration.ofSeconds(1));
                    assertThat(jitter(context, "twin")).isEqualTo(Duration.ofSeconds(3));
                    assertThat(jitter(context, "Twin")).isEqualTo(Duration.ofSeconds(4));
                },
                TASKS + "import-orders.jitter=1s",
                TASKS + "importorders.jitter=2s",
                TASKS + "twin.jitter=3s",
                TASKS + "Twin.jitter=4s");
    }

    @Test
    void idThatMatchesTwoStopsTheStart(CapturedOutput output) {
        failToStart(TASKS + "TWIN.jitter=1s");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("wheel.scheduler.tasks.TWIN.jitter")
                .contains("commandLineArgs")
                .contains("matches two ids of tasks, 'Twin' and 'twin'")
                .contains("wheel.scheduler.tasks.Twin.jitter");
    }

    @Test
    void environmentIdThatMatchesTwoIsWarnedOfAndNotApplied(CapturedOutput output) {
        runIn(Map.of("WHEEL_SCHEDULER_TASKS_T_WIN_JITTER", "1s"), context -> {
            assertThat(jitter(context, "twin")).isNull();
            assertThat(jitter(context, "Twin")).isNull();
        });
        assertThat(output)
                .contains("WHEEL_SCHEDULER_TASKS_T_WIN_JITTER")
                .containsOnlyOnce("matches two ids of tasks, 'Twin' and 'twin'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            app.Jobs.poll.jiter     | app.Jobs.poll | jitter    | [app.Jobs.poll].jitter
            [app.Jobs.poll].enable  | app.Jobs.poll | enabled   | [app.Jobs.poll].enabled
            app.jobs.pol.enabeld    | app.Jobs.poll | enabled   | [app.Jobs.poll].enabled
            import-orders.fixed.rat | import-orders | fixed-rate | import-orders.fixed-rate
            import-orders.backoff.delai | import-orders | back-off.delay | import-orders.back-off.delay
            import-orders           | import-orders |           | import-orders.enabled
            enabled                 |               |           | .enabled
            """)
    void propertyThatEndsInNoSettingStopsTheStart(
            String written, @Nullable String id, @Nullable String setting, String better, CapturedOutput output) {
        failToStart(TASKS + written + "=true");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("wheel.scheduler.tasks." + written + "'")
                .contains("commandLineArgs")
                .contains(better)
                .contains("wheel.scheduler.unknown-settings=warn");
        if (id != null) {
            assertThat(output).contains("'" + id + "'");
        }
        if (setting != null) {
            assertThat(output).contains("'" + setting + "'");
        }
    }

    @Test
    void allThatIsWrongIsSaidAtOnce(CapturedOutput output) {
        failToStart(TASKS + "twin.jiter=1s", TASKS + "import-orders.crom=-");
        assertThat(output).contains("wheel.scheduler.tasks.twin.jiter").contains("tasks.import-orders.crom");
    }

    @Test
    void settingOfANewerReleaseCanBeLetThrough(CapturedOutput output) {
        run(
                context -> assertThat(jitter(context, "twin")).isEqualTo(Duration.ofSeconds(2)),
                TASKS + "twin.shiny=true",
                TASKS + "twin.jitter=2s",
                "--wheel.scheduler.unknown-settings=warn");
        assertThat(output).containsOnlyOnce("The property 'wheel.scheduler.tasks.twin.shiny'");
    }

    @Test
    void settingThatDoesNotExistIsWarnedOfInTheEnvironment(CapturedOutput output) {
        runIn(
                Map.of(
                        "WHEEL_SCHEDULER_TASKS_PORT_8080_TCP",
                        "tcp://10.0.0.1:8080",
                        "WHEEL_SCHEDULER_TASKS_IMPORT_ORDERS_JITER",
                        "1s"),
                context -> {});
        assertThat(output)
                .contains("WHEEL_SCHEDULER_TASKS_PORT_8080_TCP")
                .contains("WHEEL_SCHEDULER_TASKS_IMPORT_ORDERS_JITER")
                .contains("WHEEL_SCHEDULER_TASKS_IMPORTORDERS_JITTER");
    }

    @Test
    void valueOfThePlatformForNoTaskIsWarnedOf(CapturedOutput output) {
        runIn(Map.of("WHEEL_SCHEDULER_TASKS_SERVICE_PORT_CRON", "8080"), context -> {});
        assertThat(output).containsOnlyOnce("The property 'WHEEL_SCHEDULER_TASKS_SERVICE_PORT_CRON'");
    }

    @Test
    void valueOfTheEnvironmentForATaskMustBeUsable(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> runIn(Map.of("WHEEL_SCHEDULER_TASKS_IMPORTORDERS_JITTER", "soon"), context -> {}));
        assertThat(output)
                .contains("WHEEL_SCHEDULER_TASKS_IMPORTORDERS_JITTER")
                .contains("'soon' is not a valid duration");
    }

    @Test
    void unknownIdIsWarnedOfWhenTheApplicationIsReady(CapturedOutput output) {
        run(context -> {}, TASKS + "import-order.enabled=false", TASKS + "late.export.enabled=false");
        assertThat(output)
                .containsOnlyOnce("no task has")
                .contains("wheel.scheduler.tasks.import-order.enabled")
                .contains("commandLineArgs")
                .contains("'import-orders'")
                .contains("wheel.scheduler.tasks.import-orders.enabled");
    }

    @Test
    void nearestIdIsNamedInTheFirstMessagesOnly(CapturedOutput output) {
        run(
                context -> {},
                IntStream.range(0, 30)
                        .mapToObj(i -> TASKS + "import-order" + i + ".enabled=false")
                        .toArray(String[]::new));
        assertThat(output.toString().split("no task has", -1)).hasSize(31);
        assertThat(output.toString().split("The closest match: 'import-orders'", -1))
                .hasSize(21);
    }

    @Test
    void unknownIdStopsTheStartIfItIsToFail(CapturedOutput output) {
        failToStart(TASKS + "import-order.enabled=false", "--wheel.scheduler.unknown-tasks=fail");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("wheel.scheduler.tasks.import-order.enabled")
                .contains("'import-orders'");
    }

    /** With nothing of its own to run. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TaskSchedulingAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class
    })
    @EnableScheduling
    static class Beside {}

    static class Importing {

        @Scheduled(fixedRateString = HOUR, initialDelayString = HOUR)
        @WheelTask("import-orders")
        void importOrders() {}
    }

    static class OwnPool {

        @Bean
        ThreadPoolTaskScheduler pool() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void unknownIdStopsNoStartWithoutAWheel(boolean isOff, CapturedOutput output) {
        SpringApplicationBuilder application =
                new SpringApplicationBuilder(Beside.class, Importing.class).web(WebApplicationType.NONE);
        if (!isOff) {
            application.sources(OwnPool.class);
        }
        try (ConfigurableApplicationContext context = application.run(
                TASKS + "import-orders.jitter=1s",
                "--wheel.scheduler.unknown-tasks=fail",
                "--wheel.scheduler.enabled=" + !isOff)) {
            assertThat(context.getBeansOfType(WheelTaskScheduler.class)).isEmpty();
        }
        assertThat(output).doesNotContain("no task has");
    }

    @Test
    void childKnowsTheIdsOfItsParent(CapturedOutput output) {
        SpringApplicationBuilder child = new SpringApplicationBuilder(Beside.class, Importing.class)
                .web(WebApplicationType.NONE)
                .child(Beside.class)
                .web(WebApplicationType.NONE);
        String property = TASKS + "import-orders.jitter=1s";
        try (ConfigurableApplicationContext context = child.run(property, "--wheel.scheduler.unknown-tasks=fail")) {
            ConfigurableApplicationContext parent = (ConfigurableApplicationContext) context.getParent();
            assertThat(parent).isNotNull();
            assertThat(jitter(parent, "import-orders")).isEqualTo(Duration.ofSeconds(1));
            parent.close();
        }
        assertThat(output).doesNotContain("no task has");
    }

    @Test
    void idThatATaskBringsLaterIsKnown(CapturedOutput output) {
        run(
                context -> {
                    assertDisabled(context, "late.Export");
                    TaskRegistry registry =
                            context.getBean(WheelTaskScheduler.class).getTaskRegistry();
                    Future<?> ignored =
                            registry.schedule("even.Later", () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
                    assertThat(jitter(context, "even.Later")).isEqualTo(Duration.ofSeconds(1));
                },
                TASKS + "late.export.enabled=false",
                TASKS + "even.later.jitter=1s",
                "--wheel.scheduler.unknown-tasks=warn");
        assertThat(output).doesNotContain("tasks.late.export").contains("tasks.even.later");
    }

    @Test
    void spellingStaysFreeAfterThousandsOfOtherIds() {
        run(
                context -> {
                    TaskRegistry registry =
                            context.getBean(WheelTaskScheduler.class).getTaskRegistry();
                    for (int i = 0; i < 1_100; i++) {
                        Future<?> task =
                                registry.schedule("import." + i, () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
                        assertThat(task.cancel(false)).isTrue();
                    }
                    Future<?> ignored =
                            registry.schedule("even.Later", () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
                    assertThat(jitter(context, "even.Later")).isEqualTo(Duration.ofSeconds(1));
                    assertThat(context.getBean(TaskOverrides.class).size()).isLessThan(1_100);
                },
                TASKS + "even.later.jitter=1s");
    }

    @Test
    void scheduleOverACronThatIsOffIsNamedWithWhatToWrite(CapturedOutput output) {
        run(context -> {}, TASKS + "never.cron=0 0 * * * *", TASKS + "never.jitter=1s");
        assertThat(output)
                .containsOnlyOnce("cron of '-'")
                .contains("wheel.scheduler.tasks.never.cron")
                .contains("@WheelTask(enabled = \"false\")");
    }

    @Test
    void scheduleOverACronThatIsOnIsNotSpokenOf(CapturedOutput output) {
        run(context -> {}, TASKS + "never.cron=0 0 * * * *", "--never=0 0 0 * * *");
        assertThat(output).doesNotContain("cron of '-'");
    }

    @Test
    void sourceThatCannotBeListedIsAsked() {
        List<String> asked = new ArrayList<>();
        Map<String, String> values = Map.of(
                "wheel.scheduler.tasks.app.Jobs.poll.enabled", "false",
                "wheel.scheduler.tasks[late.Export].jitter", "4s",
                "wheel.scheduler.tasks.import-orders.jitter", "5s");
        PropertySource<?> unlistable = new PropertySource<>("unlistable", asked) {
            @Override
            public @Nullable Object getProperty(String name) {
                return values.get(name);
            }
        };
        run(
                List.of(unlistable),
                context -> {
                    assertDisabled(context, "app.Jobs.poll");
                    assertThat(jitter(context, "late.Export")).isEqualTo(Duration.ofSeconds(4));
                    assertThat(jitter(context, "import-orders")).isEqualTo(Duration.ofSeconds(5));
                },
                TASKS + "import-orders.jitter=6s");
    }

    @Test
    void nameOfAGroupMayHaveDots() {
        run(
                context -> assertThat(context.getBean("team.Reports", WheelTaskScheduler.class)
                                .getWheelScheduledExecutor())
                        .isNotNull(),
                "--wheel.scheduler.groups.team.Reports.max-size=3");
    }

    @Test
    void environmentVariableMeansTheGroupThatAFileNames() {
        run(
                List.of(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("WHEEL_SCHEDULER_GROUPS_BIGREPORTS_MAXSIZE", "5"))),
                context -> {
                    Collection<String> names =
                            context.getBeansOfType(WheelTaskScheduler.class).keySet();
                    assertThat(names).containsExactlyInAnyOrder("taskScheduler", "big-reports");
                    WheelTaskScheduler group = context.getBean("big-reports", WheelTaskScheduler.class);
                    assertThat(group.getWheelScheduledExecutor().maxWorkers()).isEqualTo(5);
                    assertThat(group.getWheelScheduledExecutor().queueCapacity())
                            .isEqualTo(7);
                },
                "--wheel.scheduler.groups.big-reports.queue-capacity=7",
                "--wheel.scheduler.groups.big-reports.max-size=3");
    }

    @Test
    void ambiguousEnvironmentVariableIsWarnedOfOnce(CapturedOutput output) {
        run(
                List.of(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("WHEEL_SCHEDULER_GROUPS_BIGREPORTS_MAXSIZE", "5"))),
                context -> assertThat(context.getBean("big-reports", WheelTaskScheduler.class)
                                .getWheelScheduledExecutor()
                                .maxWorkers())
                        .isEqualTo(3),
                "--wheel.scheduler.groups.big-reports.max-size=3",
                "--wheel.scheduler.groups.bigReports.max-size=4",
                "--wheel.scheduler.groups.bigReports.max-sise=4",
                "--wheel.scheduler.unknown-settings=warn");
        assertThat(output).containsOnlyOnce("matches two groups, ");
    }

    @Test
    void settingOfAGroupThatDoesNotExistStopsTheStart(CapturedOutput output) {
        failToStart("--wheel.scheduler.groups.reports.max-sise=3", "--wheel.scheduler.groups.reports.on-full=drop");
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("wheel.scheduler.groups.reports.max-sise'")
                .contains("wheel.scheduler.groups.reports.max-size");
    }

    @Test
    void environmentSettingOfAnUnknownGroupIsWarnedOf(CapturedOutput output) {
        runIn(
                Map.of("WHEEL_SCHEDULER_GROUPS_SERVICE_HOST", "10.0.0.1"),
                context -> assertThat(context.getBeansOfType(WheelTaskScheduler.class))
                        .containsOnlyKeys("taskScheduler"));
        assertThat(output).contains("WHEEL_SCHEDULER_GROUPS_SERVICE_HOST");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfigurationButDurable
    @EnableScheduling
    static class Polling {

        private static IntegrationFlow flow() {
            return IntegrationFlow.fromSupplier(
                            () -> "", endpoint -> endpoint.poller(Pollers.fixedDelay(3_600_000, 3_600_000)))
                    .nullChannel();
        }

        @Bean
        IntegrationFlow orders() {
            return flow();
        }

        @Bean
        IntegrationFlow bills() {
            return flow();
        }
    }

    @Test
    void pollersHaveIdsWithTheNamesOfTheirBeans() {
        SpringApplication application = new SpringApplication(Polling.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        try (ConfigurableApplicationContext context = application.run()) {
            String first = AbstractPollingEndpoint.class.getName() + ".lambda";
            assertThat(context.getBean(WheelTaskScheduler.class)
                            .getTaskRegistry()
                            .ids())
                    .hasSize(2)
                    .contains(first)
                    .anySatisfy(id -> assertThat(id).startsWith(first + "@").containsAnyOf("bills", "orders"));
        }
    }
}
