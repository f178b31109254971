package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import io.github.wheelscheduler.testing.Caller;
import io.github.wheelscheduler.testing.Heirloom;
import io.github.wheelscheduler.testing.LogCapture;
import java.lang.ref.WeakReference;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.support.CronTrigger;

/**
 * Threads of a scheduler inherit nothing from who happens to need the first one, and have the class loader of who made
 * it.
 */
class InheritedThreadLocalsTest {

    private static final int ROUNDS = 150;

    private final ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
    private final ClassLoader other = new ClassLoader(null) {};
    private final Heirloom heirloom = new Heirloom();
    private final WheelTaskScheduler root = new WheelTaskScheduler();
    private final WheelTaskScheduler group = new WheelTaskScheduler();

    /** What a thread has. */
    private record Having(String value, ClassLoader loader) {}

    private final Queue<Having> seen = new ConcurrentLinkedQueue<>();
    private final AtomicInteger asked = new AtomicInteger();

    enum Kind {
        PLATFORM(false, false),
        VIRTUAL(true, false),
        GROUP(false, true),
        VIRTUAL_GROUP(true, true);

        private final boolean isVirtual;
        private final boolean isGroup;

        Kind(boolean isVirtual, boolean isGroup) {
            this.isVirtual = isVirtual;
            this.isGroup = isGroup;
        }
    }

    @AfterEach
    void shutdown() {
        group.shutdown();
        root.shutdown();
    }

    private void look() {
        seen.add(new Having(heirloom.get(), Thread.currentThread().getContextClassLoader()));
    }

    private WheelTaskScheduler made(Kind kind) {
        assumeTrue(!kind.isVirtual || Caller.VIRTUAL.isAvailable(), "the JDK has no virtual threads");
        root.setVirtualThreads(kind.isVirtual);
        group.setVirtualThreads(kind.isVirtual);
        group.setThreadNamePrefix("group-");
        return heirloom.callWith("maker", application, () -> {
            root.initialize();
            if (kind.isGroup) {
                group.setGroupOf(root, "group", 100_000, OnFull.WAIT);
                group.initialize();
            }
            return kind.isGroup ? group : root;
        });
    }

    private void awaitAll() {
        awaitThat(() -> seen.size() >= asked.get());
    }

    @ParameterizedTest
    @EnumSource
    void runsInheritNothingFromWhoSchedules(Kind kind) {
        WheelTaskScheduler scheduler = made(kind);
        for (int i = 0; i < ROUNDS; i++) {
            boolean isQuiet = i % 2 == 0;
            Object ignored = heirloom.callWith("caller", other, () -> {
                asked.addAndGet(4);
                scheduler.execute(this::look);
                Object unusedFirst = scheduler.submit(this::look);
                Object unusedSecond =
                        scheduler.schedule(this::look, Instant.now().plusMillis(1));
                Object unusedThird = scheduler.schedule(this::look, Instant.now());
                return true;
            });
            if (isQuiet) {
                awaitAll();
            }
        }
        awaitAll();
        assertThat(Set.copyOf(seen)).containsOnly(new Having("null", application));
        assertThat(heirloom.parents()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void seriesInheritNothingFromWhoSchedules(Kind kind) {
        WheelTaskScheduler scheduler = made(kind);
        Object ignored = heirloom.callWith("caller", other, () -> {
            asked.addAndGet(15);
            Duration often = Duration.ofMillis(2);
            Object unusedRate = scheduler.scheduleAtFixedRate(this::look, often);
            Object unusedDelay = scheduler.scheduleWithFixedDelay(this::look, often);
            return scheduler.schedule(this::look, context -> Instant.now().plusMillis(1));
        });
        awaitAll();
        assertThat(Set.copyOf(seen)).containsOnly(new Having("null", application));
        assertThat(heirloom.parents()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void runsInheritNothingFromTheRunThatSchedules(Kind kind) throws Exception {
        WheelTaskScheduler scheduler = made(kind);
        asked.set(200);
        for (int i = 0; i < 100; i++) {
            CountDownLatch done = new CountDownLatch(1);
            scheduler.execute(() -> {
                heirloom.set("run");
                scheduler.execute(this::look);
                Object ignored = scheduler.schedule(this::look, Instant.now().plusMillis(1));
                heirloom.set(null);
                done.countDown();
            });
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        awaitAll();
        assertThat(Set.copyOf(seen)).containsOnly(new Having("null", application));
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            boolean ignored = end.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void threadsThatRunNoTaskInheritNothing() {
        root.setClock(new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                if (Thread.currentThread().getName().endsWith("-tick")) {
                    look();
                }
                return Instant.now();
            }
        });
        root.setThreadNamePrefix("heirs-");
        root.setWarningLimits(new WarningLimits(Duration.ofHours(1), Duration.ofHours(1), Duration.ofMillis(1), null));
        WheelTaskScheduler scheduler = made(Kind.PLATFORM);
        CountDownLatch end = new CountDownLatch(1);
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            Object ignored = heirloom.callWith("caller", other, () -> {
                Object unusedCron = scheduler.schedule(() -> {}, new CronTrigger("0 0 0 1 1 *"));
                // Not due yet when it is scheduled, or the caller would start the first worker in place of the starter.
                return scheduler.schedule(() -> awaitEnd(end), Instant.now().plusMillis(500));
            });
            awaitThat(() -> !log.said("has been running for").isEmpty() && !seen.isEmpty());
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("heirs-"))
                    .hasSizeGreaterThanOrEqualTo(4)
                    .allSatisfy(
                            thread -> assertThat(thread.getContextClassLoader()).isSameAs(application))
                    .extracting(Thread::getName)
                    .contains("heirs-tick", "heirs-starter", "heirs-watch");
        } finally {
            end.countDown();
        }
        assertThat(Set.copyOf(seen)).containsOnly(new Having("null", application));
        assertThat(heirloom.parents()).isEmpty();
    }

    @Test
    void factoryOfTheUserDecidesForItself() {
        ClassLoader chosen = new ClassLoader(null) {};
        root.setThreadFactory(code -> {
            Thread thread = new Thread(code);
            thread.setContextClassLoader(chosen);
            return thread;
        });
        assertThat(seenByTheFirstRunOf(root)).isEqualTo(new Having("caller", chosen));
    }

    @Test
    void createThreadOfASubclassDecidesForItself() {
        ClassLoader chosen = new ClassLoader(null) {};
        WheelTaskScheduler deciding = new WheelTaskScheduler() {
            @Override
            public Thread createThread(Runnable runnable) {
                Thread thread = super.createThread(runnable);
                thread.setContextClassLoader(chosen);
                return thread;
            }
        };
        try {
            assertThat(seenByTheFirstRunOf(deciding)).isEqualTo(new Having("null", chosen));
        } finally {
            deciding.shutdown();
        }
    }

    private Having seenByTheFirstRunOf(WheelTaskScheduler scheduler) {
        return heirloom.callWith("maker", application, () -> {
            scheduler.initialize();
            return heirloom.callWith("caller", other, () -> {
                scheduler.execute(this::look);
                awaitThat(() -> !seen.isEmpty());
                return seen.element();
            });
        });
    }

    @ParameterizedTest
    @EnumSource
    void schedulerThatHasEndedKeepsNoClassLoader(Kind kind) {
        assumeTrue(!kind.isVirtual || Caller.VIRTUAL.isAvailable(), "the JDK has no virtual threads");
        WeakReference<ClassLoader> gone = loaderOfAScheduler(kind);
        awaitThat(() -> {
            System.gc();
            return gone.get() == null;
        });
    }

    private WeakReference<ClassLoader> loaderOfAScheduler(Kind kind) {
        ClassLoader undeployed = new ClassLoader(null) {};
        boolean ended = heirloom.callWith("maker", undeployed, () -> {
            WheelTaskScheduler scheduler = new WheelTaskScheduler();
            scheduler.setVirtualThreads(kind.isVirtual);
            scheduler.initialize();
            WheelScheduledExecutor executor = scheduler.getWheelScheduledExecutor();
            executor.group("group").submit(() -> {}).get(30, TimeUnit.SECONDS);
            boolean isDue =
                    scheduler.schedule(() -> {}, Instant.now().plusMillis(1)).get() == null;
            scheduler.shutdown();
            return isDue && executor.awaitTermination(30, TimeUnit.SECONDS);
        });
        assertThat(ended).isTrue();
        return new WeakReference<>(undeployed);
    }

    @Test
    @DisabledForJreRange(minVersion = 21, disabledReason = "the JDK has virtual threads")
    void virtualThreadsNeedAJdkThatHasThem() {
        root.setVirtualThreads(true);
        assertThatThrownBy(root::initialize)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageStartingWith("Virtual threads must be supported by the JDK (21 or later), was 17");
    }
}
