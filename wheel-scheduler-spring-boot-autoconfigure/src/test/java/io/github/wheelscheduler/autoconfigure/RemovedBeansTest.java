package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.testing.ReleasedObjects;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.metrics.MeterNames;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.testing.ChildJvm;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;

/** Beans that go while the application runs take with them what is known of them, and of their tasks. */
class RemovedBeansTest {

    private static final int MANY = 50;
    private static final String POLL = Job.class.getName() + ".poll";
    private static final String TICK = Ticking.class.getName() + ".lambda";

    private final ReleasedObjects released = new ReleasedObjects();

    static class Plain {}

    public static class Job {

        @Scheduled(fixedRate = 1, initialDelay = 1, timeUnit = TimeUnit.HOURS)
        public void poll() {}
    }

    public static class Once {

        @Scheduled(initialDelay = 0)
        public void run() {}
    }

    /** Schedules by itself, as Integration's pollers do. */
    static class Ticking {

        private final List<String> ticks = new ArrayList<>();

        ScheduledFuture<?> start(TaskScheduler scheduler) {
            return scheduler.scheduleAtFixedRate(
                    () -> ticks.add("tick"), Instant.now().plusSeconds(3_600), Duration.ofHours(1));
        }
    }

    /** Makes another object each time. */
    static class Factory implements FactoryBean<Plain> {

        @Override
        public Plain getObject() {
            return new Plain();
        }

        @Override
        public Class<?> getObjectType() {
            return Plain.class;
        }

        @Override
        public boolean isSingleton() {
            return false;
        }
    }

    private static DefaultListableBeanFactory factoryOf(ConfigurableApplicationContext context) {
        return (DefaultListableBeanFactory) context.getBeanFactory();
    }

    private static Object register(ConfigurableApplicationContext context, String name, Class<?> type) {
        factoryOf(context).registerBeanDefinition(name, new RootBeanDefinition(type));
        return context.getBean(name);
    }

    private static void remove(ConfigurableApplicationContext context, String name) {
        factoryOf(context).removeBeanDefinition(name);
    }

    private static List<String> idsLike(ConfigurableApplicationContext context, String prefix) {
        return wheelOf(context).getTaskRegistry().ids().stream()
                .filter(id -> id.startsWith(prefix))
                .sorted()
                .toList();
    }

    static Stream<Arguments> applications() {
        return Stream.of(
                Arguments.of("scheduling", withScheduling()),
                Arguments.of("not scheduling", withoutScheduling()),
                Arguments.of("disabled", withScheduling().withPropertyValues("wheel.scheduler.enabled=false")));
    }

    // Memory

    @ParameterizedTest(name = "{0}")
    @MethodSource("applications")
    void removedBeanIsReleased(String ignored, ApplicationContextRunner application) {
        application.run(context -> {
            for (int i = 0; i < MANY; i++) {
                released.watch(register(context, "plain" + i, Plain.class));
                released.watch(register(context, "job" + i, Job.class));
                remove(context, "plain" + i);
                remove(context, "job" + i);
            }
            released.awaitAll();
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("applications")
    void destroyedSingletonIsReleased(String ignored, ApplicationContextRunner application) {
        application.run(context -> {
            // Lazily: Spring's registrar keeps what was scheduled before the start.
            factoryOf(context).registerBeanDefinition("plain", new RootBeanDefinition(Plain.class));
            factoryOf(context).registerBeanDefinition("job", new RootBeanDefinition(Job.class));
            for (int i = 0; i < MANY; i++) {
                released.watch(context.getBean("plain"));
                released.watch(context.getBean("job"));
                factoryOf(context).destroySingleton("plain");
                factoryOf(context).destroySingleton("job");
            }
            released.awaitAll();
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("applications")
    void productOfAFactoryIsReleased(String ignored, ApplicationContextRunner application) {
        application.withBean("product", Factory.class).run(context -> {
            for (int i = 0; i < MANY; i++) {
                released.watch(context.getBean("product"));
            }
            released.awaitAll();
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("applications")
    void prototypeIsReleased(String ignored, ApplicationContextRunner application) {
        application
                .withBean(
                        "plain",
                        Plain.class,
                        Plain::new,
                        definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    for (int i = 0; i < MANY; i++) {
                        released.watch(context.getBean("plain"));
                    }
                    released.awaitAll();
                });
    }

    /** Spring keeps no such bean without its own post-processor. */
    @Test
    void prototypeWithTasksIsReleasedWithoutSpring() {
        withoutScheduling()
                .withBean("job", Job.class, Job::new, definition -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                .run(context -> {
                    for (int i = 0; i < MANY; i++) {
                        released.watch(context.getBean("job"));
                    }
                    released.awaitAll();
                });
    }

    @Test
    void beanWhoseOnlyRunIsOverIsReleased() {
        withScheduling().run(context -> {
            String id = Once.class.getName() + ".run";
            TaskRegistry tasks = wheelOf(context).getTaskRegistry();
            released.watch(register(context, "once", Once.class));
            await().until(() -> tasks.find(id)
                    .filter(task -> task.state() == TaskInfo.State.OVER)
                    .isPresent());
            remove(context, "once");
            assertThat(tasks.ids()).doesNotContain(id);
            released.awaitAll();
        });
    }

    // Ids

    @Test
    void nextBeanHasTheIdOfTheRemovedOne() {
        withScheduling().run(context -> {
            register(context, "first", Job.class);
            remove(context, "first");
            register(context, "last", Job.class);
            assertThat(idsLike(context, POLL)).containsExactly(POLL);
        });
    }

    @Test
    void idOfALivingBeanStaysWhenTheFirstOneGoes() {
        withScheduling().run(context -> {
            register(context, "first", Job.class);
            register(context, "other", Job.class);
            remove(context, "first");
            assertThat(idsLike(context, POLL)).containsExactly(POLL + "@other");
            register(context, "third", Job.class);
            assertThat(idsLike(context, POLL)).containsExactly(POLL, POLL + "@other");
            register(context, "fourth", Job.class);
            assertThat(idsLike(context, POLL)).containsExactly(POLL, POLL + "@fourth", POLL + "@other");
        });
    }

    @Test
    void idOfAProgrammaticTaskIsFreeWhenItsBeanIsCollected() {
        withScheduling().run(context -> {
            TaskScheduler scheduler = wheelOf(context);
            schedule(context, "first", scheduler).cancel(false);
            remove(context, "first");
            ScheduledFuture<?> second = schedule(context, "second", scheduler);
            assertThat(idsLike(context, TICK))
                    .isSubsetOf(TICK, TICK + "@second")
                    .hasSize(1);
            second.cancel(false);
            remove(context, "second");
            released.awaitAll();
            ScheduledFuture<?> unusedThird = schedule(context, "third", scheduler);
            assertThat(idsLike(context, TICK)).containsExactly(TICK);
            ScheduledFuture<?> unusedFourth = schedule(context, "fourth", scheduler);
            assertThat(idsLike(context, TICK)).containsExactly(TICK, TICK + "@fourth");
        });
    }

    private ScheduledFuture<?> schedule(ConfigurableApplicationContext context, String name, TaskScheduler scheduler) {
        Ticking ticking = (Ticking) register(context, name, Ticking.class);
        released.watch(ticking);
        return ticking.start(scheduler);
    }

    @Test
    void nextBeanIsCountedFromZero() {
        withScheduling().run(context -> {
            TaskRegistry tasks = wheelOf(context).getTaskRegistry();
            register(context, "first", Job.class);
            tasks.trigger(POLL);
            await().until(() -> tasks.get(POLL).runs() == 1);
            remove(context, "first");
            assertThat(tasks.find(POLL)).isEmpty();
            register(context, "second", Job.class);
            assertThat(tasks.get(POLL).runs()).isZero();
        });
    }

    @Test
    void metersGoWithTheBeanAndComeFromZero() {
        withScheduling()
                .withBean(SimpleMeterRegistry.class)
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    register(context, "first", Job.class);
                    wheelOf(context).getTaskRegistry().trigger(POLL);
                    await().until(() -> runsOf(meters) == 1);
                    remove(context, "first");
                    assertThat(meters.find(MeterNames.TASK_RUN)
                                    .tag(MeterNames.TAG_TASK, POLL)
                                    .timers())
                            .isEmpty();
                    register(context, "second", Job.class);
                    assertThat(runsOf(meters)).isZero();
                });
    }

    private static long runsOf(MeterRegistry meters) {
        return meters.get(MeterNames.TASK_RUN)
                .tags(MeterNames.TAG_TASK, POLL, MeterNames.TAG_OUTCOME, "SUCCESS")
                .timer()
                .count();
    }

    @Test
    void settingsByPropertyHoldForTheNextBean() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.tasks[" + POLL + "].fixed-rate=2h")
                .run(context -> {
                    for (String name : List.of("first", "second")) {
                        register(context, name, Job.class);
                        assertThat(wheelOf(context)
                                        .getTaskRegistry()
                                        .get(POLL)
                                        .schedule()
                                        .text())
                                .isEqualTo("PT2H");
                        remove(context, name);
                    }
                });
    }

    /** Another spelling means an id only as long as the ids are known. */
    @Test
    void settingsInAnotherSpellingHoldAfterVeryManyBeans() {
        String spelled = (POLL + "@last").toLowerCase(Locale.ROOT);
        withScheduling()
                .withPropertyValues("wheel.scheduler.tasks[" + spelled + "].fixed-rate=2h")
                .run(context -> {
                    register(context, "first", Job.class);
                    for (int i = 0; i < 1_100; i++) {
                        register(context, "job" + i, Job.class);
                        remove(context, "job" + i);
                    }
                    register(context, "last", Job.class);
                    assertThat(wheelOf(context)
                                    .getTaskRegistry()
                                    .get(POLL + "@last")
                                    .schedule()
                                    .text())
                            .isEqualTo("PT2H");
                });
    }

    // What our beans hold

    @Test
    void countsAreAsBeforeAfterAThousandBeans() {
        withScheduling()
                .withBean(SimpleMeterRegistry.class)
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .withPropertyValues("wheel.scheduler.tasks[" + POLL + "].jitter=1s")
                .run(context -> {
                    comeAndGo(context, "warm-up");
                    List<Integer> before = counts(context);
                    for (int i = 0; i < 1_000; i++) {
                        comeAndGo(context, "tenant" + i);
                    }
                    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                        System.gc();
                        List<Integer> after = counts(context);
                        for (int i = 0; i < after.size(); i++) {
                            assertThat(after.get(i)).as("%s of %s", i, after).isLessThanOrEqualTo(before.get(i));
                        }
                    });
                });
    }

    private static void comeAndGo(ConfigurableApplicationContext context, String name) {
        register(context, name, Job.class);
        Ticking ticking = (Ticking) register(context, name + "Ticking", Ticking.class);
        boolean cancelled = ticking.start(wheelOf(context)).cancel(false);
        assertThat(cancelled).isTrue();
        register(context, name + "Plain", Plain.class);
        remove(context, name);
        remove(context, name + "Ticking");
        remove(context, name + "Plain");
    }

    private static List<Integer> counts(ConfigurableApplicationContext context) {
        TaskCatalog catalog = context.getBean(TaskCatalog.class);
        return List.of(
                context.getBean(AnnotatedTasks.class).size(),
                catalog.ids().size(),
                catalog.declarations().size(),
                context.getBean(TaskOverrides.class).size(),
                context.getBean(SchedulerMeterBinding.class).size(),
                context.getBean(MeterRegistry.class).getMeters().size(),
                wheelOf(context).getTaskRegistry().size());
    }

    @Tag("full")
    @Test
    void largeBeansComeAndGoInASmallHeap() throws IOException, InterruptedException {
        List<String> summary = new ChildJvm("removed-beans", List.of("-Xmx256m"), LargeBeans.class, List.of())
                .awaitSuccess(Duration.ofMinutes(2));
        assertThat(summary).containsExactly("> 200 came and went");
    }

    static class Large {

        private final byte[] memory = new byte[10 << 20];

        @Scheduled(fixedRate = 1, initialDelay = 1, timeUnit = TimeUnit.HOURS)
        void use() {
            memory[0]++;
        }
    }

    /** An application in a JVM of its own. */
    static final class LargeBeans {

        private LargeBeans() {}

        public static void main(String[] args) {
            for (ApplicationContextRunner application :
                    List.of(withScheduling(), withScheduling().withPropertyValues("wheel.scheduler.enabled=false"))) {
                application.run(context -> {
                    for (int i = 0; i < 100; i++) {
                        register(context, "large" + i, Large.class);
                        remove(context, "large" + i);
                    }
                });
            }
            System.out.println("> 200 came and went");
        }
    }

    @Test
    void beansAreNotLookedAtWhereNothingSchedules() {
        withScheduling().withPropertyValues("wheel.scheduler.enabled=false").run(context -> {
            register(context, "job", Job.class);
            assertThat(context.getBean(AnnotatedTasks.class).size()).isZero();
            assertThat(context.getBean(TaskCatalog.class).declarations()).isEmpty();
        });
    }

    @Test
    void ownSchedulerSharesTheCatalogWhereOursIsDisabled() {
        withoutScheduling()
                .withPropertyValues("wheel.scheduler.enabled=false")
                .withBean("first", Ticking.class)
                .withBean("second", Ticking.class)
                .withUserConfiguration(OwnScheduler.class)
                .run(context -> {
                    WheelTaskScheduler own = (WheelTaskScheduler) context.getBean("own");
                    assertThat(own.getTaskCatalog()).isSameAs(context.getBean(TaskCatalog.class));
                    ScheduledFuture<?> unusedFirst =
                            context.getBean("first", Ticking.class).start(own);
                    ScheduledFuture<?> unusedSecond =
                            context.getBean("second", Ticking.class).start(own);
                    assertThat(own.getTaskRegistry().ids()).containsExactly(TICK, TICK + "@second");
                });
    }

    /** Its type does not say what it is. */
    @Configuration(proxyBeanMethods = false)
    static class OwnScheduler {

        @Bean
        TaskScheduler own() {
            return new WheelTaskScheduler();
        }
    }

    @Test
    void madeTimersLoseTheirMetersWithTheirFactory() {
        withScheduling()
                .withBean(SimpleMeterRegistry.class)
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    int before = meters.getMeters().size();
                    for (int i = 0; i < 3; i++) {
                        released.watch(register(context, "timers", TimersFactory.class));
                        assertThat(meters.getMeters().size()).isGreaterThan(before);
                        remove(context, "timers");
                        assertThat(meters.getMeters()).hasSize(before);
                    }
                    released.awaitAll();
                });
    }

    static class TimersFactory implements FactoryBean<KeyedTimers<String, String>> {

        private final TimerWheel wheel;

        TimersFactory(TimerWheel wheel) {
            this.wheel = wheel;
        }

        @Override
        public KeyedTimers<String, String> getObject() {
            return KeyedTimers.<String, String>builder(wheel.executor(), (key, value) -> {})
                    .build();
        }

        @Override
        public Class<?> getObjectType() {
            return KeyedTimers.class;
        }
    }
}
