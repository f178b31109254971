package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** What happens to a task that comes after shutdown. */
abstract class RejectionContract extends SchedulerFixture {

    RejectionContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource
    void taskIsRejectedAfterShutdownAndDoesNotRun(TaskKind kind) {
        var scheduler = started();
        scheduler.shutdown();
        var task = new RecordingTask();

        assertThatThrownBy(() -> kind.start(scheduler, task)).isInstanceOf(TaskRejectedException.class);
        assertThat(task.hasRun()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void taskIsRejectedAfterTheInitiationOfShutdown(TaskKind kind) {
        var scheduler = started();
        var held = new HeldTask();
        scheduler.execute(held);
        held.awaitStart();

        scheduler.initiateShutdown();

        assertThatThrownBy(() -> kind.start(scheduler, () -> {})).isInstanceOf(TaskRejectedException.class);
        held.release();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SUBMIT_COMPLETABLE_RUNNABLE", "SUBMIT_COMPLETABLE_CALLABLE"})
    void theRejectionNamesTheTask(TaskKind kind) {
        var scheduler = started();
        scheduler.shutdown();

        assertThatThrownBy(() -> kind.start(scheduler, new NamedTask()))
                .hasMessageContaining("nightly clean-up")
                .hasCauseInstanceOf(RejectedExecutionException.class);
    }

    @ParameterizedTest
    @EnumSource
    void handlerIsGivenTheTaskAndAnExecutor(TaskKind kind) {
        var handler = new RecordingHandler();
        var scheduler = started(it -> it.setRejectedExecutionHandler(handler));
        scheduler.shutdown();
        var task = new RecordingTask();

        assertThatCode(() -> kind.start(scheduler, task)).doesNotThrowAnyException();

        assertThat(handler.calls).singleElement().satisfies(call -> {
            assertThat(call.task()).isNotNull();
            assertThat(call.executor()).isNotNull();
            assertThat(call.executorIsShutDown()).isTrue();
        });
        assertThat(task.hasRun()).isFalse();
    }

    @Test
    void handlerHearsNothingOfTasksThatAreAccepted() {
        var handler = new RecordingHandler();
        var scheduler = started(it -> it.setRejectedExecutionHandler(handler));
        var task = new RecordingTask();

        for (TaskKind kind : TaskKind.values()) {
            kind.start(scheduler, task);
        }

        task.awaitRuns(TaskKind.values().length);
        assertThat(handler.calls).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void rejectionOfTheHandlerBecomesSprings(TaskKind kind) {
        var thrown = new RejectedExecutionException("by the handler");
        RejectedExecutionHandler handler = (task, executor) -> {
            throw thrown;
        };
        var scheduler = started(it -> it.setRejectedExecutionHandler(handler));
        scheduler.shutdown();

        assertThatThrownBy(() -> kind.start(scheduler, () -> {}))
                .isInstanceOf(TaskRejectedException.class)
                .hasCause(thrown);
    }

    @ParameterizedTest
    @EnumSource
    void discardPolicyDropsTheTaskSilently(TaskKind kind) {
        assertDropsSilently(kind, new ThreadPoolExecutor.DiscardPolicy());
    }

    @ParameterizedTest
    @EnumSource
    void callerRunsPolicyDropsTheTaskAfterShutdown(TaskKind kind) {
        assertDropsSilently(kind, new ThreadPoolExecutor.CallerRunsPolicy());
    }

    @Test
    void defaultIsBackWithoutAHandler() {
        var scheduler = started(it -> {
            it.setRejectedExecutionHandler(new RecordingHandler());
            it.setRejectedExecutionHandler(null);
        });
        scheduler.shutdown();

        assertThatThrownBy(() -> scheduler.execute(() -> {})).isInstanceOf(TaskRejectedException.class);
    }

    private void assertDropsSilently(TaskKind kind, RejectedExecutionHandler policy) {
        ThreadPoolTaskScheduler scheduler = started(it -> it.setRejectedExecutionHandler(policy));
        scheduler.shutdown();
        var task = new RecordingTask();

        assertThatCode(() -> kind.start(scheduler, task)).doesNotThrowAnyException();

        awaitTermination(scheduler);
        assertThat(task.hasRun()).isFalse();
    }

    private static final class NamedTask implements Runnable {

        @Override
        public void run() {}

        @Override
        public String toString() {
            return "nightly clean-up";
        }
    }

    /** Keeps what it is given, and neither runs nor rejects it. */
    private static final class RecordingHandler implements RejectedExecutionHandler {

        private final List<Call> calls = new CopyOnWriteArrayList<>();

        @Override
        public void rejectedExecution(@Nullable Runnable task, @Nullable ThreadPoolExecutor executor) {
            calls.add(new Call(task, executor, executor != null && executor.isShutdown()));
        }

        private record Call(
                @Nullable Runnable task, @Nullable ThreadPoolExecutor executor, boolean executorIsShutDown) {}
    }
}
