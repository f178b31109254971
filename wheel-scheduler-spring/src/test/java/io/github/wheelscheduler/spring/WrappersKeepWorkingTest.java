package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/** Libraries that wrap scheduled methods, or recognize them, find what they look for. */
class WrappersKeepWorkingTest {

    @Test
    void shedLockLocksScheduledMethods() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(Scheduler.class, Locks.class, LockedJob.class)) {
            Locks locks = context.getBean(Locks.class);
            await().atMost(PATIENCE).until(() -> locks.unlocks.get() >= 2);
            assertThat(locks.taken).contains("nightly").allMatch("nightly"::equals);
            // Through the proxy, which has no fields of its own.
            assertThat(context.getBean(LockedJob.class).runs()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void springsObservationSeesEachRunOnce() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(Scheduler.class, ObservedJob.class)) {
            ObservedJob job = context.getBean(ObservedJob.class);
            await().atMost(PATIENCE).until(() -> job.observed.size() >= 3);
            assertThat(job.observed).allMatch("tasks.scheduled.execution work"::equals);
            assertThat(job.observed.size()).isLessThanOrEqualTo(job.runs.get());
        }
    }

    @Test
    void scheduledTasksAreKnownByTheirMethods() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(Scheduler.class, ObservedJob.class)) {
            assertThat(context.getBean(ScheduledTaskHolder.class).getScheduledTasks())
                    .singleElement()
                    .hasToString(ObservedJob.class.getName() + ".work");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduler {
        @Bean
        WheelTaskScheduler taskScheduler() {
            return new WheelTaskScheduler();
        }
    }

    static class Locks implements LockProvider {
        final List<String> taken = new CopyOnWriteArrayList<>();
        final AtomicInteger unlocks = new AtomicInteger();

        @Override
        public Optional<SimpleLock> lock(LockConfiguration configuration) {
            taken.add(configuration.getName());
            return Optional.of(unlocks::incrementAndGet);
        }
    }

    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class LockedJob {
        private final AtomicInteger runs = new AtomicInteger();

        @Scheduled(fixedDelay = 10)
        @SchedulerLock(name = "nightly")
        public void work() {
            runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }

    static class ObservedJob {
        final List<String> observed = new CopyOnWriteArrayList<>();
        final AtomicInteger runs = new AtomicInteger();

        @Bean
        SchedulingConfigurer observing() {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
                @Override
                public void onStop(Observation.Context context) {
                    observed.add(context.getName() + " "
                            + context.getLowCardinalityKeyValue("code.function").getValue());
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            });
            return registrar -> registrar.setObservationRegistry(registry);
        }

        @Scheduled(fixedRate = 10)
        public void work() {
            runs.incrementAndGet();
        }
    }
}
