package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.util.ErrorHandler;

/** Who gets to know of a failed run, and whether its series goes on. */
abstract class ErrorHandlingContract extends SchedulerFixture {

    private final IllegalStateException failure = new IllegalStateException("task fails");

    ErrorHandlingContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME"})
    void aHandlerGetsTheFailureOfAOneTimeTaskOnce(TaskKind kind) {
        var handler = new Failures();
        var scheduler = started(it -> it.setErrorHandler(handler));

        kind.start(scheduler, new FailingTask(failure));

        await().until(() -> !handler.seen.isEmpty());
        staysTrue(() -> handler.seen.size() == 1);
        assertThat(handler.seen.get(0)).isSameAs(failure);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME"})
    void aFailureThatTheHandlerKeepsDoesNotReachTheFuture(TaskKind kind) {
        var scheduler = started(it -> it.setErrorHandler(new Failures()));

        assertYieldsNull(kind.futureOf(scheduler, new FailingTask(failure)));
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME"})
    void whatTheHandlerThrowsReachesTheFutureOfAOneTimeTask(TaskKind kind) {
        var thrown = new IllegalArgumentException("handler fails");
        var scheduler = started(it -> it.setErrorHandler(new ThrowingHandler(thrown)));

        assertFailsWith(kind.futureOf(scheduler, new FailingTask(failure)), thrown);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_RATE_FROM_START", "FIXED_DELAY", "FIXED_DELAY_FROM_START", "TRIGGER"})
    void aHandlerGetsEveryFailureOfASeriesAndTheSeriesGoesOn(TaskKind kind) {
        var handler = new Failures();
        var scheduler = started(it -> it.setErrorHandler(handler));
        var task = new FailingTask(failure);

        Future<?> future = kind.futureOf(scheduler, task);

        await().until(() -> handler.seen.size() >= 3);
        assertThat(handler.seen).allSatisfy(seen -> assertThat(seen).isSameAs(failure));
        assertThat(future.isDone()).isFalse();
        future.cancel(false);
        await().until(() -> handler.seen.size() == task.runs.get());
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_RATE_FROM_START", "FIXED_DELAY", "FIXED_DELAY_FROM_START", "TRIGGER"})
    void aHandlerThatThrowsEndsTheSeries(TaskKind kind) {
        var thrown = new IllegalArgumentException("handler fails");
        var scheduler = started(it -> it.setErrorHandler(new ThrowingHandler(thrown)));
        var task = new FailingTask(failure);

        Future<?> future = kind.futureOf(scheduler, task);

        assertFailsWith(future, thrown);
        staysTrue(() -> task.runs.get() == 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_RATE_FROM_START", "FIXED_DELAY", "FIXED_DELAY_FROM_START"})
    void aThrowingHandlerThatATaskBringsEndsItsSeries(TaskKind kind) {
        var thrown = new IllegalArgumentException("handler fails");
        var task = new FailingTask(failure);

        Future<?> future =
                kind.futureOf(started(), new DelegatingErrorHandlingRunnable(task, new ThrowingHandler(thrown)));

        assertFailsWith(future, thrown);
        staysTrue(() -> task.runs.get() == 1);
    }

    @Test
    void throwingHandlerOfATaskFailsATriggersRun() {
        var task = new FailingTask(failure);
        var handler = new ThrowingHandler(new IllegalArgumentException("handler fails"));

        Future<?> future = TaskKind.TRIGGER.futureOf(started(), new DelegatingErrorHandlingRunnable(task, handler));

        await().until(() -> task.runs.get() >= 3);
        assertThat(future.isDone()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_RATE_FROM_START", "FIXED_DELAY", "FIXED_DELAY_FROM_START", "TRIGGER"})
    void withoutAHandlerASeriesGoesOnAfterAFailure(TaskKind kind) {
        var scheduler = started();
        var task = new FailingTask(failure);

        Future<?> future = kind.futureOf(scheduler, task);

        await().until(() -> task.runs.get() >= 3);
        assertThat(future.isDone()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void withoutAHandlerASeriesGoesOnAfterAnErrorToo(TaskKind kind) {
        var scheduler = started();
        var task = new FailingTask(new StackOverflowError("task fails badly"));

        kind.start(scheduler, task);

        await().until(() -> task.runs.get() >= 3);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SUBMIT_COMPLETABLE_RUNNABLE", "SUBMIT_COMPLETABLE_CALLABLE"})
    void withoutAHandlerTheFailureIsLogged(TaskKind kind) {

        kind.start(started(), new FailingTask(failure));

        await().until(() -> log.hasError(failure));
    }

    @ParameterizedTest
    @EnumSource(names = {"EXECUTE", "SUBMIT_RUNNABLE", "ONE_TIME", "FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aHandlerGetsTheCheckedExceptionThatAProxyHadToWrap(TaskKind kind) {
        var handler = new Failures();
        var scheduler = started(it -> it.setErrorHandler(handler));
        var checked = new IOException("wrapped");

        kind.start(scheduler, new FailingTask(new UndeclaredThrowableException(checked)));

        await().until(() -> !handler.seen.isEmpty());
        assertThat(handler.seen.get(0)).isSameAs(checked);
    }

    @Test
    void handlerGetsErrorsAndNotOnlyExceptions() {
        var handler = new Failures();
        var scheduler = started(it -> it.setErrorHandler(handler));
        var error = new LinkageError("error instead of exception");

        var unused =
                scheduler.schedule(new FailingTask(error), scheduler.getClock().instant());

        await().until(() -> handler.seen.contains(error));
    }

    @Test
    void handlerHearsNothingOfRunsThatSucceed() {
        var handler = new Failures();
        var scheduler = started(it -> it.setErrorHandler(handler));
        var task = new RecordingTask();

        for (TaskKind kind : TaskKind.values()) {
            kind.start(scheduler, task);
        }

        task.awaitRuns(3 * TaskKind.values().length);
        assertThat(handler.seen).isEmpty();
    }

    @Test
    void failingSeriesLeavesOthersAlone() {
        var scheduler = started(it -> {
            it.setPoolSize(1);
            it.setErrorHandler(new ThrowingHandler(new IllegalArgumentException("handler fails")));
        });
        var other = new RecordingTask();
        TaskKind.FIXED_RATE.start(scheduler, other);

        Future<?> failing = TaskKind.FIXED_RATE.futureOf(scheduler, new FailingTask(failure));

        awaitDone(failing);
        other.awaitRuns(other.runs() + 3);
    }

    /** Keeps what it is given. */
    private static final class Failures implements ErrorHandler {

        private final List<Throwable> seen = new CopyOnWriteArrayList<>();

        @Override
        public void handleError(Throwable failure) {
            seen.add(failure);
        }
    }

    private record ThrowingHandler(RuntimeException thrown) implements ErrorHandler {

        @Override
        public void handleError(Throwable failure) {
            throw thrown;
        }
    }

    private static final class FailingTask implements Runnable {

        private final AtomicInteger runs = new AtomicInteger();
        private final Throwable failure;

        FailingTask(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public void run() {
            runs.incrementAndGet();
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }
    }
}
