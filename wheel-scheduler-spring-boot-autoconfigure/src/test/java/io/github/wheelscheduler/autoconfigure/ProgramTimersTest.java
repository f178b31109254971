package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import io.github.wheelscheduler.metrics.MeterNames;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import io.github.wheelscheduler.spring.TimerWheel;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.OverridingClassLoader;

/** Timers for programs that are beans are read, and have meters, as long as they are there. */
@ExtendWith(OutputCaptureExtension.class)
class ProgramTimersTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private ApplicationContextRunner withTimers() {
        return withoutScheduling()
                .withConfiguration(AutoConfigurations.of(WheelSchedulerMetricsAutoConfiguration.class))
                .withUserConfiguration(Timers.class);
    }

    private double gauge(String meter, String name) {
        return registry.get(meter).tag("name", name).gauge().value();
    }

    private double counter(String meter, String name) {
        return registry.get(meter).tag("name", name).functionCounter().count();
    }

    @Test
    @SuppressWarnings("unchecked")
    void beansHaveMetersThatSayWhatBecomesOfTheirTimers() {
        withTimers().withBean(MeterRegistry.class, () -> registry).run(context -> {
            KeyedTimers<String, String> unpaid = context.getBean("unpaid", KeyedTimers.class);
            assertThat(unpaid.set("a", "1", HOUR)).isNull();
            assertThat(unpaid.move("a", Duration.ofHours(2))).isTrue();
            assertThat(unpaid.set("b", "2", Duration.ofMillis(1))).isNull();
            awaitThat(
                    () -> assertThat(counter(MeterNames.TIMERS_FIRED, "unpaid")).isOne());
            assertThat(gauge(MeterNames.TIMERS_PENDING, "unpaid")).isOne();
            assertThat(counter(MeterNames.TIMERS_MOVED, "unpaid")).isOne();
            awaitThat(() ->
                    assertThat(counter(MeterNames.TIMERS_FAILED, "unpaid")).isOne());
            assertThat(registry.get(MeterNames.TIMERS_LATENESS)
                            .tags("name", "unpaid", "kind", "keyed")
                            .functionTimer()
                            .totalTime(TimeUnit.NANOSECONDS))
                    .isPositive();

            IdleTimeouts<String> idle = context.getBean("idle", IdleTimeouts.class);
            assertThat(idle.register("a", Duration.ofMillis(1))).isNotNull();
            assertThat(idle.register("b", HOUR).isOpen()).isTrue();
            awaitThat(() -> assertThat(counter(MeterNames.TIMERS_FIRED, "idle")).isOne());
            assertThat(gauge(MeterNames.TIMERS_PENDING, "idle")).isOne();

            WheelNettyTimer requests = context.getBean(WheelNettyTimer.class);
            assertThat(requests.newTimeout(timeout -> {}, 1, TimeUnit.HOURS).isExpired())
                    .isFalse();
            assertThat(gauge(MeterNames.TIMERS_PENDING, "requests")).isOne();

            LeaseRenewer<String> locks = context.getBean(LeaseRenewer.class);
            assertThat(locks.keep("a", Duration.ofMillis(300), locks.start(), (key, reason) -> {})
                            .isKept())
                    .isTrue();
            awaitThat(() ->
                    assertThat(counter(MeterNames.LEASES_RENEWED, "locks")).isPositive());
            assertThat(gauge(MeterNames.LEASES_KEPT, "locks")).isOne();
            assertThat(counter(MeterNames.LEASES_LOST, "locks")).isZero();

            assertThat(registry.find(MeterNames.TIMERS_PENDING)
                            .tag("name", "lazy")
                            .gauge())
                    .isNull();
            Object ignored = context.getBean("lazy");
            assertThat(gauge(MeterNames.TIMERS_PENDING, "lazy")).isZero();
        });
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    @SuppressWarnings("unchecked")
    void beansAreReadWithoutARegistryButForTheirLateness() {
        withTimers().run(context -> {
            KeyedTimers<String, String> unpaid = context.getBean("unpaid", KeyedTimers.class);
            assertThat(unpaid.set("a", "1", HOUR)).isNull();
            assertThat(unpaid.move("a", Duration.ofHours(2))).isTrue();
            assertThat(unpaid.set("b", "2", Duration.ofMillis(1))).isNull();
            awaitThat(() -> assertThat(unpaid.counts().failures()).isOne());
            List<ProgramTimers.Reading> read = ProgramTimers.in(context.getBeanFactory());
            assertThat(read)
                    .extracting(ProgramTimers.Reading::name, ProgramTimers.Reading::kind)
                    .containsExactlyInAnyOrder(
                            tuple("unpaid", "keyed"),
                            tuple("idle", "idle"),
                            tuple("locks", "lease"),
                            tuple("requests", "netty"));
            assertThat(read)
                    .contains(new ProgramTimers.Timers("unpaid", "keyed", 1, 1, 1, 1, Duration.ZERO, null))
                    .contains(new ProgramTimers.Leases("locks", "lease", 0, 0, 0, 0));
        });
    }

    @Test
    void meanLatenessIsThatOfTheMeters() {
        withTimers().withBean(MeterRegistry.class, () -> registry).run(context -> {
            IdleTimeouts<?> idle = expireTwo(context);
            Duration lateness = idle.lateness();
            assertThat(registry.get(MeterNames.TIMERS_LATENESS)
                            .tag("name", "idle")
                            .functionTimer()
                            .mean(TimeUnit.NANOSECONDS))
                    .isCloseTo(lateness.toNanos() / 2.0, within(0.01));
            assertThat(ProgramTimers.in(context.getBeanFactory()))
                    .contains(new ProgramTimers.Timers("idle", "idle", 0, 2, 0, 0, lateness, lateness.dividedBy(2)));
        });
    }

    private static IdleTimeouts<?> expireTwo(ApplicationContext context) {
        @SuppressWarnings("unchecked")
        IdleTimeouts<String> idle = context.getBean("idle", IdleTimeouts.class);
        for (String key : List.of("a", "b")) {
            assertThat(idle.register(key, Duration.ofMillis(1))).isNotNull();
        }
        awaitThat(() -> assertThat(idle.counts().expired()).isEqualTo(2));
        awaitThat(() -> assertThat(idle.lateness()).isPositive());
        return idle;
    }

    @Test
    void beansOfAParentAreReadUnlessAChildHasTheSameName() {
        withTimers()
                .run(parent -> new ApplicationContextRunner()
                        .withParent(parent)
                        .withBean(
                                "locks",
                                LeaseRenewer.class,
                                () -> LeaseRenewer.builder(executor, key -> Renewal.Outcome.RENEWED)
                                        .build())
                        .withBean(
                                "requests",
                                IdleTimeouts.class,
                                () -> IdleTimeouts.builder(executor, key -> {}).build())
                        .run(child -> assertThat(ProgramTimers.in(child.getBeanFactory()))
                                .extracting(ProgramTimers.Reading::name, ProgramTimers.Reading::kind)
                                .containsExactlyInAnyOrder(
                                        tuple("locks", "lease"),
                                        tuple("requests", "idle"),
                                        tuple("unpaid", "keyed"),
                                        tuple("idle", "idle"))));
    }

    /** The class is loaded again, as in an application that does not have all modules, and no Micrometer. */
    @ParameterizedTest
    @CsvSource({"true, true, false", "true, false, true", "false, true, true", "false, false, true"})
    void modulesMayBeMissing(boolean hasTimers, boolean hasNetty, boolean hasNettysOwn) throws Exception {
        List<String> missing = new ArrayList<>(List.of("io.micrometer", MeterNames.class.getPackageName()));
        if (!hasTimers) {
            missing.addAll(List.of(
                    KeyedTimers.class.getPackageName(),
                    IdleTimeouts.class.getPackageName(),
                    LeaseRenewer.class.getPackageName()));
        }
        if (!hasNetty) {
            missing.add(WheelNettyTimer.class.getPackageName());
        }
        if (!hasNettysOwn) {
            missing.add("io.netty");
        }
        ClassLoader loader = new OverridingClassLoader(new FilteredClassLoader(missing.toArray(String[]::new))) {
            @Override
            protected boolean isEligibleForOverriding(String className) {
                return className.startsWith(ProgramTimers.class.getName())
                        || className.startsWith(WheelSchedulers.class.getName());
            }
        };
        Method are = loader.loadClass(ProgramTimers.class.getName()).getDeclaredMethod("are", Object.class);
        are.setAccessible(true);
        assertThat(are.getDeclaringClass()).isNotEqualTo(ProgramTimers.class);
        assertThat(are.invoke(null, "bean")).isEqualTo(false);
        KeyedTimers<String, String> keyed = KeyedTimers.<String, String>builder(executor, (key, value) -> {})
                .build();
        assertThat(are.invoke(null, keyed)).isEqualTo(hasTimers);
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("keyed", keyed);
        Object read = are.getDeclaringClass()
                .getDeclaredMethod("in", BeanFactory.class)
                .invoke(null, beans);
        assertThat((List<?>) read).hasSize(hasTimers ? 1 : 0);
    }

    @Test
    void beansHaveNoneWithoutARegistry() {
        withTimers().run(context -> assertThat(context).hasNotFailed().hasBean("unpaid"));
    }

    @Test
    void logSaysSoWithoutTheOnlyRegistry(CapturedOutput output) {
        withTimers()
                .withBean("one", MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("other", MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(output).contains("Bean unpaid has no meters"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Timers {

        @Bean
        KeyedTimers<String, String> unpaid(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), (key, value) -> {
                        throw new IllegalStateException("on purpose");
                    })
                    .build();
        }

        @Bean
        @Lazy
        KeyedTimers<String, String> lazy(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), (key, value) -> {})
                    .build();
        }

        @Bean
        IdleTimeouts<String> idle(TimerWheel wheel) {
            return IdleTimeouts.<String>builder(wheel.executor(), key -> {}).build();
        }

        @Bean
        LeaseRenewer<String> locks(TimerWheel wheel) {
            return LeaseRenewer.<String>builder(wheel.executor(), key -> Renewal.Outcome.RENEWED)
                    .build();
        }

        @Bean(destroyMethod = "stop")
        WheelNettyTimer requests(TimerWheel wheel) {
            return WheelNettyTimer.builder(wheel.executor()).build();
        }
    }
}
