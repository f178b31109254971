package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.TaskScheduler;

/** The health of schedulers, and where it is shown. */
class WheelSchedulerHealthTest {

    private static final String BEAN = "wheelSchedulerHealthContributor";

    private static ApplicationContextRunner withHealth() {
        return withHealth(withScheduling());
    }

    private static ApplicationContextRunner withHealth(ApplicationContextRunner runner) {
        return runner.withConfiguration(AutoConfigurations.of(WheelSchedulerHealthAutoConfiguration.class));
    }

    private static Health healthOf(ApplicationContext context) {
        Health health = context.getBean(BEAN, HealthIndicator.class).health();
        assertThat(health).isNotNull();
        return health;
    }

    @Test
    void proxiedSchedulerIsTheMainOneAndHasAHealth() {
        withHealth(withScheduling())
                .withConfiguration(AutoConfigurations.of(TimerWheelAutoConfiguration.class))
                .withBean(WheelSchedulerMetricsAutoConfigurationTest.Proxies.class)
                .withPropertyValues("wheel.scheduler.groups.reports.max-size=2")
                .run(context -> {
                    WheelTaskScheduler proxy = context.getBean("taskScheduler", WheelTaskScheduler.class);
                    assertThat(AopUtils.isCglibProxy(proxy)).isTrue();
                    CompositeHealthContributor health = context.getBean(BEAN, CompositeHealthContributor.class);
                    assertThat(health.getContributor("taskScheduler")).isInstanceOf(HealthIndicator.class);
                    assertThat(context.getBean(TimerWheel.class).executor())
                            .isSameAs(proxy.getWheelScheduledExecutor());
                    assertThat(context.getBean("reports", WheelTaskScheduler.class)
                                    .getWheelScheduledExecutor()
                                    .groupName())
                            .isEqualTo("reports");
                    assertThat(WheelSchedulers.in(context.getBeanFactory()))
                            .containsOnlyKeys("taskScheduler", "reports");
                });
    }

    @Test
    void schedulerThatIsDeclaredByItsInterfaceHasAHealthToo() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        WheelSchedulerHealthAutoConfiguration.class,
                        LateSchedulerHealthAutoConfiguration.class,
                        HealthContributorRegistryAutoConfiguration.class))
                .withUserConfiguration(DeclaredByInterface.class)
                .run(context -> {
                    HealthContributor found =
                            context.getBean(HealthContributorRegistry.class).getContributor("wheelScheduler");
                    assertThat(found).isInstanceOf(HealthIndicator.class);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class DeclaredByInterface {

        @Bean
        TaskScheduler x() {
            return new WheelTaskScheduler();
        }
    }

    // States

    @Test
    void schedulerThatRunsIsUpAndShowsItsCounts() {
        withHealth().run(context -> {
            // The first run needs no tick thread, which may come to life after it.
            awaitThat(() -> {
                assertThat((Long) healthOf(context).getDetails().get("fired")).isPositive();
                assertThat(healthOf(context).getDetails()).containsEntry("tickThread", "RUNNING");
            });
            Health health = healthOf(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails())
                    .containsEntry("tasks", 1)
                    .containsEntry("failed", 0L)
                    .containsEntry("rejected", 0L)
                    .containsEntry("overdue", 0)
                    .containsKeys("pending", "ready", "workers", "active")
                    .doesNotContainKeys("reason", "overdueTasks");
        });
    }

    @Test
    void schedulerThatHasNothingToDoIsUp() {
        withHealth(new ApplicationContextRunner())
                .withBean(WheelTaskScheduler.class)
                .run(context -> {
                    assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(healthOf(context).getDetails()).containsEntry("tickThread", "NOT_STARTED");
                });
    }

    @Test
    void pausedSchedulerIsUpAndSaysSoUntilItIsResumed() {
        withHealth().run(context -> {
            wheelOf(context).stop();
            assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP);
            assertThat(healthOf(context).getDetails()).containsEntry("reason", "the scheduler is paused");
            wheelOf(context).start();
            assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP);
            assertThat(healthOf(context).getDetails()).doesNotContainKey("reason");
        });
    }

    @Test
    void pausedSchedulerHasTheStatusThatIsSetForThat() {
        withHealth()
                .withPropertyValues("wheel.scheduler.health.paused-status=OUT_OF_SERVICE")
                .run(context -> {
                    wheelOf(context).stop();
                    assertThat(healthOf(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(healthOf(context).getDetails()).containsEntry("reason", "the scheduler is paused");
                    wheelOf(context).start();
                    assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP);
                });
    }

    @Test
    void schedulerThatHasBeenShutDownIsOutOfService() {
        withHealth().run(context -> {
            wheelOf(context).shutdown();
            assertThat(healthOf(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(healthOf(context).getDetails())
                    .containsEntry("reason", "the scheduler has shut down; restart the application to run its tasks");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "DEAD,        PT0S,    false, false, DOWN",
        "DEAD,        PT0S,    true,  true,  DOWN",
        "RUNNING,     PT10S,   false, false, UP",
        "RUNNING,     PT10.1S, false, false, DOWN",
        "RUNNING,     PT10.1S, false, true,  DOWN",
        "RUNNING,     PT0S,    false, true,  PAUSED",
        "NOT_STARTED, PT0S,    false, false, UP",
        "ENDED,       PT0S,    true,  false, OUT_OF_SERVICE",
        "ENDED,       PT0S,    true,  true,  OUT_OF_SERVICE"
    })
    void theTickThreadCountsForMoreThanAPause(
            WheelSnapshot.State state, Duration stuckFor, boolean isShutdown, boolean isPaused, String status) {
        WheelSnapshot.Tick tick = new WheelSnapshot.Tick(state, 1, 0, 0, Duration.ZERO, Duration.ZERO, stuckFor, null);
        Health.Builder builder = new Health.Builder();
        WheelSchedulerProperties.Health settings = new WheelSchedulerProperties.Health();
        settings.setPausedStatus("PAUSED");
        WheelSchedulerHealthIndicator indicator = new WheelSchedulerHealthIndicator(new WheelTaskScheduler(), settings);
        settings.setPausedStatus("BOUND_AGAIN");
        indicator.setStatus(builder, tick, isShutdown, isPaused);
        Health health = builder.build();
        assertThat(health.getStatus().getCode()).isEqualTo(status);
        assertThat(health.getDetails().containsKey("reason")).isNotEqualTo(status.equals("UP"));
    }

    /** The tick thread looks at the wall clock once a second while a cron task is pending. */
    @Test
    void stuckTickThreadIsDownAndUpAgainAfterwards() {
        StoppableClock clock = new StoppableClock();
        withHealth()
                .withBean(WheelSchedulerCustomizer.class, () -> scheduler -> scheduler.setClock(clock))
                .withPropertyValues("wheel.scheduler.health.stuck-limit=50ms")
                .run(context -> {
                    TaskRegistry registry = wheelOf(context).getTaskRegistry();
                    ScheduledFuture<?> unused = registry.schedule("yearly", () -> {}, TaskSchedule.cron("0 0 3 1 1 *"));
                    clock.stopped = true;
                    try {
                        awaitThat(
                                () -> assertThat(healthOf(context).getStatus()).isEqualTo(Status.DOWN));
                        assertThat(healthOf(context).getDetails())
                                .extractingByKey("reason")
                                .asString()
                                .matches("the tick thread is [\\d.]+ m?s behind, more than the limit of 50 ms");
                    } finally {
                        clock.goOn.countDown();
                    }
                    awaitThat(() -> assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP));
                });
    }

    @Test
    void overdueTasksAreCountedAndTheFirstTenNamed() {
        CountDownLatch release = new CountDownLatch(1);
        withHealth(withoutScheduling())
                .withBean(WheelTaskScheduler.class, () -> {
                    WheelTaskScheduler scheduler = new WheelTaskScheduler();
                    scheduler.setPoolSize(1);
                    scheduler.getTaskRegistry().setOverdueGrace(0, Duration.ZERO);
                    return scheduler;
                })
                .run(context -> {
                    WheelTaskScheduler scheduler = context.getBean(WheelTaskScheduler.class);
                    scheduler.execute(() -> awaitQuietly(release));
                    awaitThat(() -> assertThat(scheduler.getActiveCount()).isEqualTo(1));
                    for (int i = 10; i < 22; i++) {
                        ScheduledFuture<?> unused = scheduler
                                .getTaskRegistry()
                                .schedule("task-" + i, () -> {}, TaskSchedule.fixedRate(Duration.ofSeconds(1)));
                    }
                    try {
                        awaitThat(() -> assertThat(healthOf(context).getDetails())
                                .containsEntry("overdue", 12)
                                .extractingByKey("overdueTasks")
                                .asInstanceOf(InstanceOfAssertFactories.LIST)
                                .hasSize(10)
                                .startsWith("task-10", "task-11"));
                        assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP);
                    } finally {
                        release.countDown();
                    }
                    awaitThat(() -> assertThat(healthOf(context).getDetails()).doesNotContainKey("overdueTasks"));
                });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    // Where it is shown

    @Test
    void severalSchedulersAreShownEachUnderItsName() {
        withHealth(new ApplicationContextRunner())
                .withBean("orders", WheelTaskScheduler.class)
                .withBean("reports", WheelTaskScheduler.class)
                .withPropertyValues("wheel.scheduler.health.paused-status=PAUSED")
                .run(context -> {
                    context.getBean("orders", WheelTaskScheduler.class).stop();
                    CompositeHealthContributor all = context.getBean(BEAN, CompositeHealthContributor.class);
                    assertThat(statusOf(all.getContributor("orders"))).isEqualTo(new Status("PAUSED"));
                    assertThat(statusOf(all.getContributor("reports"))).isEqualTo(Status.UP);
                });
    }

    @Test
    void groupWithASlashInItsNameHasAHealth() {
        withHealth()
                .withPropertyValues("wheel.scheduler.groups[team/reports].max-size=2")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    CompositeHealthContributor all = context.getBean(BEAN, CompositeHealthContributor.class);
                    assertThat(all.stream().map(entry -> entry.name()))
                            .containsExactlyInAnyOrder("taskScheduler", "team.reports");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"prototype", "request"})
    void schedulerOfAnotherScopeIsNotMadeForItsHealth(String scope) {
        AtomicInteger made = new AtomicInteger();
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerHealthAutoConfiguration.class))
                .withBean("orders", WheelTaskScheduler.class)
                .withBean(
                        "scoped",
                        WheelTaskScheduler.class,
                        () -> {
                            made.incrementAndGet();
                            return new WheelTaskScheduler();
                        },
                        definition -> definition.setScope(scope))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(made).hasValue(0);
                    assertThat(healthOf(context).getStatus()).isEqualTo(Status.UP);
                });
    }

    private static Status statusOf(HealthContributor contributor) {
        return ((HealthIndicator) contributor).health().getStatus();
    }

    @Test
    void timerWheelCanBeSwitchedOff() {
        withHealth()
                .withPropertyValues("management.health.wheelscheduler.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthContributor.class));
        withHealth()
                .withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthContributor.class));
    }

    @Test
    void metersAreAbsentWithoutAWheel() {
        withHealth()
                .withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthContributor.class));
    }

    @Test
    void healthCountsForTheApplicationAndNotForLiveness() {
        try (ActuatorServer server = ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                JobsApplication.class,
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.show-components=always")) {
            assertThat(server.get("health").textAt("components.wheelScheduler.status"))
                    .isEqualTo("UP");
            awaitThat(() -> assertThat(server.get("health").textAt("components.wheelScheduler.details.tickThread"))
                    .isEqualTo("RUNNING"));
            server.wheel().stop();
            assertThat(server.get("health").status()).isEqualTo(200);
            server.wheel().shutdown();
            assertThat(server.get("health").status()).isEqualTo(503);
            assertThat(server.get("health").textAt("status")).isEqualTo("OUT_OF_SERVICE");
            for (String group : new String[] {"health/liveness", "health/readiness"}) {
                assertThat(server.get(group).textAt("status")).isEqualTo("UP");
                assertThat(server.get(group).at("components.wheelScheduler")).isNull();
            }
        }
    }

    /** Holds up the tick thread, and nobody else. */
    private static final class StoppableClock extends Clock {

        private final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean stopped;

        @Override
        public Instant instant() {
            if (stopped && Thread.currentThread().getName().endsWith("tick")) {
                awaitQuietly(goOn);
            }
            return Instant.now();
        }

        @Override
        public ZoneId getZone() {
            return ZoneId.systemDefault();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Test
    void tasksPausedByFailuresAreNamedAndHealthIsUp() {
        withScheduling().run(context -> {
            WheelTaskScheduler scheduler = wheelOf(context);
            ScheduledFuture<?> ignored = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "failing",
                            () -> {
                                throw new IllegalStateException("as it must");
                            },
                            TaskSchedule.fixedRate(Duration.ofMillis(1)),
                            TaskSettings.builder().pauseAfterFailures(2).build());
            awaitThat(() -> {
                Health health =
                        new WheelSchedulerHealthIndicator(scheduler, new WheelSchedulerProperties.Health()).health();
                assertThat(health).isNotNull();
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails()).containsEntry("pausedAfterFailures", List.of("failing"));
            });
        });
    }
}
