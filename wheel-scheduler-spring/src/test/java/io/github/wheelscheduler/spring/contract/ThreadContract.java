package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The threads that run the tasks: how they are made and what they are called. */
abstract class ThreadContract extends SchedulerFixture {

    ThreadContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource
    void threadNamesBeginWithThePrefix(TaskKind kind) {
        var scheduler = started(it -> it.setThreadNamePrefix("contract-"));

        assertThat(threadOf(kind, scheduler).getName()).startsWith("contract-");
    }

    @Test
    void beanNameIsThePrefixWithoutOne() {
        var scheduler = started(it -> it.setBeanName("mainScheduler"));

        assertThat(threadOf(TaskKind.EXECUTE, scheduler).getName()).startsWith("mainScheduler-");
        assertThat(scheduler.getThreadNamePrefix()).isEqualTo("mainScheduler-");
    }

    @Test
    void prefixThatWasSetWinsOverTheNameOfTheBean() {
        var scheduler = started(it -> {
            it.setBeanName("mainScheduler");
            it.setThreadNamePrefix("contract-");
        });

        assertThat(threadOf(TaskKind.EXECUTE, scheduler).getName()).startsWith("contract-");
    }

    @Test
    void defaultPrefixIsUsedWithoutPrefixAndBeanName() {
        var scheduler = started();

        assertThat(scheduler.getThreadNamePrefix()).isNotBlank();
        assertThat(threadOf(TaskKind.ONE_TIME, scheduler).getName()).startsWith(scheduler.getThreadNamePrefix());
    }

    @ParameterizedTest
    @EnumSource
    void givenThreadFactoryMakesTheThreads(TaskKind kind) {
        List<Thread> made = new CopyOnWriteArrayList<>();
        ThreadFactory threadFactory = runnable -> {
            var thread = new Thread(runnable, "made-for-the-test");
            made.add(thread);
            return thread;
        };
        var scheduler = started(it -> it.setThreadFactory(threadFactory));

        Thread thread = threadOf(kind, scheduler);

        assertThat(made).contains(thread);
        assertThat(thread.getName()).isEqualTo("made-for-the-test");
    }

    @Test
    void schedulersSettingsApplyWithoutAThreadFactory() {
        var group = new ThreadGroup("group of the test");
        var scheduler = started(it -> {
            it.setVirtualThreads(false);
            it.setThreadFactory(null);
            it.setDaemon(true);
            it.setThreadPriority(Thread.MIN_PRIORITY);
            it.setThreadGroup(group);
        });

        Thread thread = threadOf(TaskKind.ONE_TIME, scheduler);

        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getPriority()).isEqualTo(Thread.MIN_PRIORITY);
        assertThat(thread.getThreadGroup()).isSameAs(group);
    }

    @Test
    void platformThreadsKeepTheApplicationAliveByDefault() {
        var scheduler = started(it -> it.setVirtualThreads(false));

        assertThat(threadOf(TaskKind.FIXED_RATE, scheduler).isDaemon()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    @EnabledForJreRange(minVersion = 21, disabledReason = "the JDK has no virtual threads")
    void virtualThreadsRunTheTasksWhereTheJdkHasThem(TaskKind kind) {
        var scheduler = started(it -> {
            it.setVirtualThreads(true);
            it.setThreadNamePrefix("virtual-");
        });

        Thread thread = threadOf(kind, scheduler);

        assertThat(isVirtual(thread)).isTrue();
        assertThat(thread.getName()).startsWith("virtual-");
    }

    /** Returns the thread of the first run, which is still going on so that the thread can be looked at. */
    private static Thread threadOf(TaskKind kind, ThreadPoolTaskScheduler scheduler) {
        var thread = new CompletableFuture<Thread>();
        var held = new HeldTask();
        kind.start(scheduler, () -> {
            thread.complete(Thread.currentThread());
            held.run();
        });
        return thread.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this JDK has virtual threads", e);
        }
    }
}
