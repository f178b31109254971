package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpoint;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpointAutoConfiguration;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import io.github.wheelscheduler.metrics.MeterNames;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Programs get a wheel by its own type, with and without scheduling, and nobody else notices. */
@ExtendWith(OutputCaptureExtension.class)
class TimerWheelTest {

    private static final String NAME = TimerWheelAutoConfiguration.TIMER_WHEEL;
    private static final String REPORTS = "wheel.scheduler.groups.reports.";

    private static TimerWheel timersOf(ApplicationContext context) {
        return context.getBean(TimerWheel.class);
    }

    private static void awaitARun(WheelScheduledExecutor executor) throws Exception {
        assertThat(executor.schedule(() -> Thread.currentThread().getName(), 1, TimeUnit.MILLISECONDS)
                        .get(30, TimeUnit.SECONDS))
                .isNotEmpty();
    }

    // Whose wheel it is

    @Test
    void wheelIsThatOfTheSchedulerWithScheduling() {
        withScheduling()
                .run(context -> assertThat(timersOf(context).scheduler()).isSameAs(wheelOf(context)));
    }

    @Test
    void timersHaveAWheelOfTheirOwnWithoutScheduling() {
        withoutScheduling().run(context -> awaitARun(timersOf(context).executor()));
    }

    @Test
    void ownWheelIsNamedInTheLog(CapturedOutput output) {
        withoutScheduling()
                .withPropertyValues("wheel.scheduler.mode=halted", REPORTS + "max-size=3")
                .run(context -> assertThat(timersOf(context)).isNotNull());
        assertThat(output).contains("Scheduler " + NAME + " is halted").contains("Scheduler reports is halted");
    }

    @Test
    void wheelIsThatOfTheOnlySchedulerOfAnyName() {
        withScheduling()
                .withBean("reports", WheelTaskScheduler.class)
                .run(context -> assertThat(timersOf(context).scheduler()).isSameAs(context.getBean("reports")));
    }

    @Test
    void wheelIsThatOfTheOnlySchedulerOfAHiddenType() {
        withScheduling().withUserConfiguration(Programs.class, Interface.class).run(context -> {
            assertThat(timersOf(context).scheduler()).isSameAs(context.getBean("zone"));
            assertThat(WheelSchedulers.in(context.getBeanFactory())).containsOnlyKeys("zone");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Interface {

        @Bean
        TaskScheduler zone(WheelTaskSchedulerBuilder builder) {
            return builder.build();
        }
    }

    @Test
    void schedulerOfTheWheelMayBeProxied() {
        for (ApplicationContextRunner runner : List.of(withScheduling(), withoutScheduling())) {
            runner.withBean(DefaultAdvisorAutoProxyCreator.class, TimerWheelTest::proxiesClasses)
                    .withBean(DefaultPointcutAdvisor.class, TimerWheelTest::aroundWheels)
                    .withUserConfiguration(Programs.class)
                    .run(context -> {
                        assertThat(AopUtils.isCglibProxy(timersOf(context))).isTrue();
                        awaitARun(timersOf(context).executor());
                        assertThat(WheelSchedulers.in(context.getBeanFactory())).hasSize(1);
                    });
        }
    }

    private static DefaultAdvisorAutoProxyCreator proxiesClasses() {
        DefaultAdvisorAutoProxyCreator creator = new DefaultAdvisorAutoProxyCreator();
        creator.setProxyTargetClass(true);
        return creator;
    }

    private static DefaultPointcutAdvisor aroundWheels() {
        StaticMethodMatcherPointcut pointcut = new StaticMethodMatcherPointcut() {
            @Override
            public boolean matches(Method method, Class<?> target) {
                return true;
            }
        };
        pointcut.setClassFilter(TimerWheel.class::isAssignableFrom);
        return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) MethodInvocation::proceed);
    }

    @Test
    void wheelIsThatOfTaskSchedulerAmongSeveral() {
        withScheduling()
                .withBean("reports", WheelTaskScheduler.class)
                .withBean("taskScheduler", WheelTaskScheduler.class)
                .run(context -> assertThat(timersOf(context).scheduler()).isSameAs(wheelOf(context)));
    }

    @Test
    void timersHaveTheirOwnWheelBesideAPlainScheduler() {
        withScheduling()
                .withBean("taskScheduler", ThreadPoolTaskScheduler.class)
                .run(context -> {
                    awaitARun(timersOf(context).executor());
                    assertThat(threadOfScheduledMethod(context)).startsWith("taskScheduler-");
                    assertThat(context.getBean(TaskScheduler.class)).isSameAs(context.getBean("taskScheduler"));
                });
    }

    @Test
    void applicationMayDefineItItself() {
        TimerWheel own = new TimerWheel(new WheelTaskScheduler());
        withScheduling().withBean(TimerWheel.class, () -> own).run(context -> {
            assertThat(timersOf(context)).isSameAs(own);
            assertThatThrownBy(own::executor).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void timerWheelExistsWhereSchedulingIsNotOnTheWheel() {
        withScheduling().withPropertyValues("wheel.scheduler.enabled=false").run(context -> {
            awaitARun(timersOf(context).executor());
            assertThat(context.getBean(TaskScheduler.class)).isNotInstanceOf(WheelTaskScheduler.class);
        });
    }

    // Nobody else notices

    @Test
    void nothingThatIsInjectedByTypeHasOneMoreToChooseFrom() {
        withoutScheduling().withUserConfiguration(Programs.class).run(context -> {
            assertThat(timersOf(context).executor().isShutdown()).isFalse();
            assertThat(context.getBeansOfType(Executor.class)).containsOnlyKeys("applicationTaskExecutor");
            assertThat(context).doesNotHaveBean(TaskScheduler.class).doesNotHaveBean(ScheduledExecutorService.class);
            assertThat(context.getBean(Worker.class)
                            .work()
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .startsWith("task-");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Programs {

        @Bean
        KeyedTimers<String, String> keyed(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), (key, value) -> {})
                    .build();
        }

        @Bean
        Worker worker() {
            return new Worker();
        }
    }

    static class Worker {

        @Async
        CompletableFuture<String> work() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    @Test
    void timerWheelIsCreatedLazily(CapturedOutput output) {
        withoutScheduling().run(context -> {
            assertThat(context.getBeanFactory().containsSingleton(NAME)).isFalse();
            assertThat(WheelSchedulers.in(context.getBeanFactory())).isEmpty();
            assertThat(context.getBeanFactory().containsSingleton(NAME)).isFalse();
        });
        assertThat(output)
                .contains("Wheel Scheduler is not active: no @Scheduled method runs, as @EnableScheduling is missing");
    }

    @Test
    void usedTimerWheelIsNotReportedAsUnused(CapturedOutput output) {
        withoutScheduling()
                .withUserConfiguration(Programs.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("Wheel Scheduler is not active");
    }

    // It has the settings of all

    @Test
    void timerWheelHasTheSettingsOfTheApplication() {
        withoutScheduling()
                .withPropertyValues("wheel.scheduler.max-pending=2", "spring.task.scheduling.thread-name-prefix=mine-")
                .run(context -> {
                    WheelScheduledExecutor executor = timersOf(context).executor();
                    assertThat(executor.schedule(() -> Thread.currentThread().getName(), 0, TimeUnit.MILLISECONDS)
                                    .get(30, TimeUnit.SECONDS))
                            .startsWith("mine-");
                    for (int i = 0; i < 2; i++) {
                        var unused = executor.schedule(() -> {}, 1, TimeUnit.HOURS);
                    }
                    assertThatThrownBy(() -> executor.schedule(() -> {}, 1, TimeUnit.HOURS))
                            .isInstanceOf(RejectedExecutionException.class)
                            .hasMessageContaining("2");
                });
    }

    @Test
    void groupsOfThePropertiesAreOnItToo() {
        withoutScheduling()
                .withPropertyValues(REPORTS + "max-size=3", REPORTS + "queue-capacity=5")
                .run(context -> {
                    WheelScheduledExecutor group = timersOf(context).executor().group("reports");
                    assertThat(group).isNotNull();
                    assertThat(group.maxWorkers()).isEqualTo(3);
                    assertThat(group.submit(() -> Thread.currentThread().getName())
                                    .get(30, TimeUnit.SECONDS))
                            .startsWith("reports-");
                    assertThat(context.containsBean("reports")).isFalse();
                });
    }

    @Test
    void noGroupMayHaveItsName() {
        withoutScheduling()
                .withPropertyValues("wheel.scheduler.groups." + NAME + ".max-size=2")
                .run(context -> assertThatThrownBy(() -> timersOf(context))
                        .hasRootCauseMessage(
                                "wheel.scheduler.groups.%s must not be the name of another bean, was %1$s", NAME));
    }

    @Test
    void groupThatCannotBeLeavesNothingBehind() {
        AtomicReference<WheelTaskScheduler> first = new AtomicReference<>();
        withoutScheduling()
                .withPropertyValues(REPORTS + "max-size=3")
                .withBean(WheelSchedulerCustomizer.class, () -> scheduler -> {
                    if (!first.compareAndSet(null, scheduler)) {
                        throw new IllegalStateException("no second one");
                    }
                })
                .run(context -> assertThatThrownBy(() -> timersOf(context)).hasRootCauseMessage("no second one"));
        assertThat(first.get().getWheelScheduledExecutor().isTerminated()).isTrue();
    }

    // It lives as long as its context

    @Test
    void timerWheelPausesWithItsContextAndGoesOn() {
        withoutScheduling().withPropertyValues(REPORTS + "max-size=3").run(context -> {
            WheelScheduledExecutor executor = timersOf(context).executor();
            GenericApplicationContext application = (GenericApplicationContext) context.getSourceApplicationContext();
            application.stop();
            CompletableFuture<String> ran = new CompletableFuture<>();
            var unused = executor.schedule(() -> ran.complete("ran"), 0, TimeUnit.MILLISECONDS);
            assertThat(timersOf(context).scheduler().isRunning()).isFalse();
            assertThat(ran).isNotDone();
            application.start();
            assertThat(ran.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("ran");
        });
    }

    @Test
    void contextThatPausesWaitsForRunsOfGroupsToo() {
        withoutScheduling().withPropertyValues(REPORTS + "max-size=3").run(context -> {
            OwnTimerWheel wheel = (OwnTimerWheel) timersOf(context);
            CompletableFuture<Void> end = new CompletableFuture<>();
            CompletableFuture<Void> started = new CompletableFuture<>();
            wheel.executor().group("reports").execute(() -> {
                started.complete(null);
                end.join();
            });
            started.orTimeout(30, TimeUnit.SECONDS).join();
            CompletableFuture<Void> stopped = new CompletableFuture<>();
            wheel.stop(() -> stopped.complete(null));
            assertThat(stopped).isNotDone();
            end.complete(null);
            stopped.orTimeout(30, TimeUnit.SECONDS).join();
        });
    }

    @Test
    void timerWheelEndsAfterItsDependents() {
        AtomicReference<WheelScheduledExecutor> executor = new AtomicReference<>();
        AtomicReference<WheelScheduledExecutor> group = new AtomicReference<>();
        withoutScheduling()
                .withPropertyValues(REPORTS + "max-size=3")
                .withUserConfiguration(ThreeKinds.class)
                .run(context -> {
                    executor.set(timersOf(context).executor());
                    group.set(executor.get().group("reports"));
                });
        assertThat(executor.get().isTerminated()).isTrue();
        assertThat(group.get().isTerminated()).isTrue();
    }

    /** A bean of each in one line. */
    @Configuration(proxyBeanMethods = false)
    static class ThreeKinds {

        final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

        @Bean
        KeyedTimers<String, String> keyed(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), (key, value) -> seen.add("keyed " + value))
                    .build();
        }

        @Bean
        IdleTimeouts<String> idle(TimerWheel wheel) {
            return IdleTimeouts.<String>builder(wheel.executor(), key -> seen.add("idle " + key))
                    .build();
        }

        @Bean
        LeaseRenewer<String> leases(TimerWheel wheel) {
            return LeaseRenewer.<String>builder(wheel.executor(), key -> Renewal.Outcome.RENEWED)
                    .build();
        }
    }

    @Test
    void beanOfEachKindStandsOnIt() {
        AtomicReference<ThreeKinds> kinds = new AtomicReference<>();
        for (ApplicationContextRunner runner : List.of(withScheduling(), withoutScheduling())) {
            runner.withUserConfiguration(ThreeKinds.class).run(context -> {
                kinds.set(context.getBean(ThreeKinds.class));
                keyedOf(context).set("key", "value", Duration.ofMillis(1));
                unused(idleOf(context).register("connection", Duration.ofMillis(1)));
                LeaseRenewer<String> leases = leasesOf(context);
                unused(leases.keep(
                        "lease",
                        Duration.ofHours(1),
                        leases.start(),
                        (key, reason) -> kinds.get().seen.add("lost " + key)));
                awaitThat(() -> assertThat(kinds.get().seen).contains("keyed value", "idle connection"));
                keyedOf(context).set("key", "never", Duration.ofHours(1));
            });
            assertThat(kinds.get().seen).doesNotContain("keyed never");
        }
    }

    private static void unused(Object ignored) {}

    @SuppressWarnings("unchecked")
    private static KeyedTimers<String, String> keyedOf(ApplicationContext context) {
        return context.getBean(KeyedTimers.class);
    }

    @SuppressWarnings("unchecked")
    private static IdleTimeouts<String> idleOf(ApplicationContext context) {
        return context.getBean(IdleTimeouts.class);
    }

    @SuppressWarnings("unchecked")
    private static LeaseRenewer<String> leasesOf(ApplicationContext context) {
        return context.getBean(LeaseRenewer.class);
    }

    // It is seen

    @Test
    void schedulerOfTheTimerWheelHasMetersARowAndHealth() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        withoutScheduling()
                .withConfiguration(AutoConfigurations.of(
                        WheelSchedulerMetricsAutoConfiguration.class,
                        WheelSchedulerEndpointAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class,
                        LateSchedulerHealthAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=wheelscheduler", REPORTS + "max-size=3")
                .withBean(MeterRegistry.class, () -> registry)
                .withUserConfiguration(Programs.class)
                .run(context -> {
                    assertThat(registry.find(MeterNames.PENDING).gauges())
                            .extracting(gauge -> gauge.getId().getTag("name"))
                            .containsExactlyInAnyOrder(NAME, "reports");
                    assertThat(context.getBean(WheelSchedulerEndpoint.class)
                                    .schedulers(null, null, null)
                                    .schedulers())
                            .extracting(row -> row.name())
                            .containsExactly(NAME, "reports");
                    HealthContributorRegistry health = context.getBean(HealthContributorRegistry.class);
                    assertThat(health.getContributor("wheelScheduler")).isNotNull();
                });
        assertThat(registry.find(MeterNames.PENDING).gauges()).isEmpty();
    }

    @Test
    void healthIsThatOfTheOnlyScheduler() {
        withoutScheduling()
                .withConfiguration(AutoConfigurations.of(
                        HealthContributorRegistryAutoConfiguration.class, LateSchedulerHealthAutoConfiguration.class))
                .withUserConfiguration(Programs.class)
                .run(context -> {
                    HealthIndicator health = (HealthIndicator)
                            context.getBean(HealthContributorRegistry.class).getContributor("wheelScheduler");
                    assertThat(health).isNotNull();
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    context.getSourceApplicationContext().stop();
                    assertThat(health.health().getDetails()).containsEntry("reason", "the scheduler is paused");
                });
    }

    private static ApplicationContextRunner withHealth() {
        return withoutScheduling()
                .withConfiguration(AutoConfigurations.of(
                        HealthContributorRegistryAutoConfiguration.class,
                        WheelSchedulerHealthAutoConfiguration.class,
                        LateSchedulerHealthAutoConfiguration.class));
    }

    @Test
    void wheelThatIsMadeAfterTheStartHasHealth() {
        withHealth().run(context -> {
            HealthContributorRegistry registry = context.getBean(HealthContributorRegistry.class);
            assertThat(registry.getContributor("wheelScheduler")).isNull();
            assertThat(timersOf(context).executor().isShutdown()).isFalse();
            HealthIndicator health = (HealthIndicator) registry.getContributor("wheelScheduler");
            assertThat(health).isNotNull();
            assertThat(health.health().getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void healthOfTheWheelStandsBesideThatOfSchedulers() {
        ApplicationContextRunner later = withHealth().withBean("orders", WheelTaskScheduler.class);
        ApplicationContextRunner two = later.withBean("reports", WheelTaskScheduler.class);
        assertThat(namesOfHealth(two)).containsExactly("orders", "reports", NAME);
        assertThat(namesOfHealth(two.withUserConfiguration(Programs.class))).containsExactly("orders", "reports", NAME);
        assertThat(namesOfHealth(later.withUserConfiguration(Interface.class)))
                .containsExactlyInAnyOrder("orders", "zone", NAME);
    }

    private static List<String> namesOfHealth(ApplicationContextRunner runner) {
        List<String> names = new ArrayList<>();
        runner.run(context -> {
            assertThat(timersOf(context).executor().isShutdown()).isFalse();
            HealthContributor health =
                    context.getBean(HealthContributorRegistry.class).getContributor("wheelScheduler");
            assertThat(health).isInstanceOf(CompositeHealthContributor.class);
            ((CompositeHealthContributor) health).forEach(entry -> names.add(entry.name()));
        });
        return names;
    }

    @Test
    void healthOfTheApplicationStaysAlone() {
        HealthIndicator own = () -> Health.up().build();
        withHealth()
                .withBean("wheelSchedulerHealthIndicator", HealthIndicator.class, () -> own)
                .run(context -> {
                    assertThat(timersOf(context).executor().isShutdown()).isFalse();
                    assertThat(context.getBean(HealthContributorRegistry.class).getContributor("wheelScheduler"))
                            .isSameAs(own);
                });
    }
}
