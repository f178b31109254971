package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The line on where {@code @Scheduled} methods run, held against the threads that they run on. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledPlacesTest {

    private static final Pattern LINE = Pattern.compile("Wheel Scheduler is (active|not active): (.*)");
    private static final Pattern PLACE =
            Pattern.compile("@Scheduled methods run on (?:'(\\w+)'|(Spring's single default thread))");

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.autoconfigure.SchedulerRows#rows")
    void lineNamesTheThreadsThatMethodsRunOn(SchedulerRows.Row row, CapturedOutput output) {
        run(row.application(), context -> {
            assertThat(context.getStartupFailure()).isNull();
            assertThatLineIsTrue(row, context, output);
        });
    }

    @Test
    void lineOfAChildNamesTheWheelOfItsParent(CapturedOutput output) {
        withScheduling()
                .run(parent -> withScheduling().withParent(parent).run(child -> {
                    assertThat(child).hasNotFailed();
                    assertThat(child.containsLocalBean("taskScheduler")).isFalse();
                    assertThatLineIsTrue(SchedulerRows.row("child", withScheduling(), "taskScheduler*"), child, output);
                }));
    }

    @Test
    void lineOfAChildNamesIntegrationsSchedulerAbove(CapturedOutput output) {
        SchedulingContexts.withoutScheduling()
                .withUserConfiguration(SchedulerRows.Integration.class)
                .run(parent -> withScheduling().withParent(parent).run(child -> {
                    assertThat(child.containsLocalBean("taskScheduler")).isTrue();
                    assertThatLineIsTrue(SchedulerRows.row("child", withScheduling(), "taskScheduler*"), child, output);
                }));
    }

    @Test
    void methodsWithASchedulerOfTheirOwnAreNamedApart(CapturedOutput output) {
        withScheduling()
                .withPropertyValues("scheduler.of.reports=reports")
                .withUserConfiguration(Reports.class)
                .run(context -> {
                    assertThatLineIsTrue(
                            SchedulerRows.row("apart", withScheduling(), "taskScheduler*"), context, output);
                    String thread = context.getBean(Reports.Report.class)
                            .thread
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join();
                    assertThat(prefix(thread)).isEqualTo(prefixOf("reports", context));
                    assertThat(output)
                            .contains(". Methods with a scheduler of their own: '" + Reports.Report.class.getName()
                                    + ".report' on 'reports', a ThreadPoolTaskScheduler, one at a time");
                });
    }

    @Test
    void noWheelIsMadeWhereXmlNamesItsScheduler() {
        SchedulerRows.xml(
                        SchedulingContexts.withoutScheduling(),
                        "<task:scheduler id='xmlScheduler'/><task:annotation-driven scheduler='xmlScheduler'/>")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WheelTaskScheduler.class));
    }

    /** Spring gives them one thread of their own, unless they name a scheduler. */
    @ParameterizedTest
    @CsvSource({"'', pool-", "scheduler='taskScheduler', scheduling-"})
    void tasksOfXmlRunWhereSpringRunsThem(String scheduler, String prefix) {
        SchedulerRows.xml(
                        withScheduling().withBean("xmlTask", XmlTask.class),
                        "<task:scheduled-tasks " + scheduler
                                + "><task:scheduled ref='xmlTask' method='run' "
                                + "fixed-rate='10'/></task:scheduled-tasks>")
                .run(context -> {
                    String thread = context.getBean(XmlTask.class)
                            .thread
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join();
                    assertThat(thread).startsWith(prefix);
                });
    }

    @Test
    void applicationWithoutMethodsIsToldOfItsWheel(CapturedOutput output) {
        SchedulingContexts.withoutScheduling()
                .withUserConfiguration(OnlyEnabled.class)
                .run(context -> assertThat(line(output).group())
                        .startsWith("Wheel Scheduler is active: @Scheduled methods will run on 'taskScheduler', but "
                                + "none is scheduled yet"));
    }

    @Test
    void linesSayNothingOfMethodsThatAreLazy(CapturedOutput output) {
        SchedulingContexts.withoutScheduling()
                .withUserConfiguration(OnlyEnabled.class)
                .withBean(
                        "own",
                        TaskScheduler.class,
                        () -> new ConcurrentTaskScheduler(Executors.newSingleThreadScheduledExecutor()),
                        bean -> bean.setLazyInit(true))
                .run(context -> {
                    assertThat(line(output).group())
                            .startsWith("Wheel Scheduler is not active: no @Scheduled method runs yet, and none would "
                                    + "run on it, as the application has the scheduler 'own'");
                    assertThat(context.getBeanFactory().containsSingleton("own"))
                            .isFalse();
                });
    }

    private static void assertThatLineIsTrue(SchedulerRows.Row row, ApplicationContext context, CapturedOutput output) {
        String thread = threadOfScheduledMethod(context);
        Matcher line = line(output);
        Matcher place = PLACE.matcher(line.group(2));
        assertThat(place.lookingAt()).as(line.group()).isTrue();
        String named = place.group(1) == null ? place.group(2) : place.group(1);
        assertThat(named).as(line.group()).isEqualTo(row.bean());
        boolean isActive = line.group(1).equals("active");
        assertThat(isActive).as(line.group()).isEqualTo(row.isActive());
        assertThat(row.parts()).allSatisfy(part -> assertThat(line.group()).contains(part));
        if (place.group(1) != null) {
            assertThat(prefix(thread)).as(line.group()).isEqualTo(prefixOf(named, context));
            assertThat(context.getBean(named) instanceof WheelTaskScheduler).isEqualTo(isActive);
        } else {
            assertThat(thread).matches("pool-\\d+-thread-1");
            for (Class<?> type : List.of(TaskScheduler.class, ScheduledExecutorService.class)) {
                assertThat(Arrays.stream(context.getBeanNamesForType(type)).map(name -> prefixOf(name, context)))
                        .doesNotContain(prefix(thread));
            }
        }
        String whyNone = WheelSchedulers.whyNone(((ConfigurableApplicationContext) context).getBeanFactory());
        assertThat(whyNone).isEqualTo(isActive ? null : line.group());
    }

    /** Returns the last line, which is that of a child where there is a parent. */
    private static Matcher line(CapturedOutput output) {
        Matcher found = LINE.matcher(output);
        Matcher last = null;
        int end = 0;
        while (found.find(end)) {
            last = LINE.matcher(output);
            assertThat(last.find(found.start())).isTrue();
            end = found.end();
        }
        assertThat(last).as("line in " + output).isNotNull();
        return last;
    }

    /** Runs a task there, in order to see its thread. */
    private static String prefixOf(String bean, ApplicationContext context) {
        CompletableFuture<String> thread = new CompletableFuture<>();
        Object scheduler = context.getBean(bean);
        Runnable probe = () -> thread.complete(Thread.currentThread().getName());
        if (scheduler instanceof TaskScheduler one) {
            Future<?> ignored = one.schedule(probe, Instant.now());
        } else {
            ((Executor) scheduler).execute(probe);
        }
        return prefix(thread.orTimeout(30, TimeUnit.SECONDS).join());
    }

    private static String prefix(String thread) {
        return thread.replaceAll("\\d+$", "");
    }

    private static <C extends ConfigurableApplicationContext, A extends ApplicationContextAssertProvider<C>> void run(
            AbstractApplicationContextRunner<?, C, A> application,
            ContextConsumer<ApplicationContextAssertProvider<?>> test) {
        application.run(test);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class OnlyEnabled {}

    @Configuration(proxyBeanMethods = false)
    static class Reports {

        @Bean(defaultCandidate = false)
        ThreadPoolTaskScheduler reports() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setThreadNamePrefix("reports-");
            return scheduler;
        }

        @Bean
        Report report() {
            return new Report();
        }

        static class Report {

            private final CompletableFuture<String> thread = new CompletableFuture<>();

            @Scheduled(fixedRate = 10, scheduler = "${scheduler.of.reports}")
            void report() {
                thread.complete(Thread.currentThread().getName());
            }
        }
    }

    static class XmlTask {

        private final CompletableFuture<String> thread = new CompletableFuture<>();

        public void run() {
            thread.complete(Thread.currentThread().getName());
        }
    }
}
