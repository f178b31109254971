package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/** A scheduler before it is initialized, and one that is initialized again. */
abstract class InitializationContract extends SchedulerFixture {

    InitializationContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource
    void uninitializedSchedulerFailsWithAnIllegalState(TaskKind kind) {
        var scheduler = created();

        assertThatIllegalStateException().isThrownBy(() -> kind.start(scheduler, () -> {}));
    }

    @Test
    void executorIsAbsentBeforeInitialization() {
        var scheduler = created();

        assertThatIllegalStateException().isThrownBy(scheduler::getScheduledExecutor);
        assertThatIllegalStateException().isThrownBy(scheduler::getScheduledThreadPoolExecutor);
    }

    @Test
    void lifecycleIsIdleBeforeInitialization() {
        var scheduler = created();
        var callbacks = new AtomicInteger();

        assertThat(scheduler.isRunning()).isFalse();
        assertThatCode(() -> {
                    scheduler.start();
                    scheduler.stop();
                    scheduler.stop(callbacks::incrementAndGet);
                    scheduler.initiateShutdown();
                    scheduler.shutdown();
                    scheduler.destroy();
                })
                .doesNotThrowAnyException();
        assertThat(callbacks).hasValue(1);
        assertThat(scheduler.isRunning()).isFalse();
    }

    @Test
    void containersCallbackInitializes() {
        var scheduler = created();

        scheduler.afterPropertiesSet();

        assertThat(scheduler.isRunning()).isTrue();
        assertThat(scheduler.submit(() -> "here")).succeedsWithin(PATIENCE);
    }

    @Test
    void executorBehindItCanBeUsedDirectly() {
        var scheduler = started();
        ScheduledExecutorService executor = scheduler.getScheduledExecutor();

        Future<String> future = executor.schedule(() -> "direct", 1, TimeUnit.MILLISECONDS);

        assertThat(future).succeedsWithin(PATIENCE).isEqualTo("direct");
        assertThat(scheduler.getScheduledExecutor()).isSameAs(executor);
    }

    @Test
    void executorBehindItIsShutDownWithTheScheduler() {
        var scheduler = started();
        ScheduledExecutorService executor = scheduler.getScheduledExecutor();

        scheduler.shutdown();

        assertThat(executor.isShutdown()).isTrue();
        awaitTermination(scheduler);
        assertThat(scheduler.isRunning()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void schedulerCanBeInitializedAgainAfterShutdown(TaskKind kind) {
        var scheduler = started();
        ScheduledExecutorService first = scheduler.getScheduledExecutor();
        scheduler.shutdown();

        scheduler.initialize();

        var task = new RecordingTask();
        kind.start(scheduler, task);
        task.awaitRuns(1);
        assertThat(scheduler.isRunning()).isTrue();
        assertThat(scheduler.getScheduledExecutor()).isNotSameAs(first);
        assertThat(first.isShutdown()).isTrue();
    }

    @Test
    void settingsSurviveAnotherInitialization() {
        var handled = new AtomicInteger();
        var scheduler = started(it -> {
            it.setThreadNamePrefix("contract-");
            it.setErrorHandler(failure -> handled.incrementAndGet());
        });
        scheduler.shutdown();

        scheduler.initialize();

        assertThat(scheduler.submit(() -> Thread.currentThread().getName()))
                .succeedsWithin(PATIENCE)
                .asString()
                .startsWith("contract-");
        scheduler.execute(() -> {
            throw new IllegalStateException("fails after the second initialization");
        });
        await().until(() -> handled.get() == 1);
    }

    @Test
    void pausingWorksAfterAnotherInitialization() {
        var scheduler = started();
        scheduler.stop();
        scheduler.shutdown();

        scheduler.initialize();

        assertThat(scheduler.isRunning()).isTrue();
        assertThat(scheduler.submit(() -> "not paused any more")).succeedsWithin(PATIENCE);
        scheduler.stop();
        var task = new RecordingTask();
        scheduler.execute(task);
        staysTrue(() -> !task.hasRun());
    }

    @Test
    void destroyingShutsDown() {
        var scheduler = started();

        scheduler.destroy();

        assertThat(scheduler.getScheduledExecutor().isShutdown()).isTrue();
    }

    @Test
    void phaseIsTheOneOfSpringsExecutorsUnlessSet() {
        var scheduler = created();

        assertThat(scheduler.getPhase())
                .isEqualTo(ExecutorConfigurationSupport.DEFAULT_PHASE)
                .isLessThan(SmartLifecycle.DEFAULT_PHASE);
        scheduler.setPhase(42);
        assertThat(scheduler.getPhase()).isEqualTo(42);
        assertThat(scheduler.isAutoStartup()).isTrue();
    }
}
