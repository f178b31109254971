package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What later JDKs added to futures and executors, reached without compiling against them. */
abstract class LaterJdkContract extends ContractFixture {

    LaterJdkContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @EnumSource
    @EnabledForJreRange(min = JRE.JAVA_19)
    void stateFollowsTheRun(OneShot way) throws Throwable {
        HeldTask held = heldTask();
        Future<String> succeeding = way.start(executor, held::call);
        Future<String> failing = way.start(executor, () -> {
            throw new IOException("on purpose");
        });
        await(held.begun);
        awaitDone(failing);

        assertThat(ofFuture("state", succeeding)).hasToString("RUNNING");
        assertThat(ofFuture("state", failing)).hasToString("FAILED");
        held.release();
        awaitDone(succeeding);
        assertThat(ofFuture("state", succeeding)).hasToString("SUCCESS");
    }

    @ParameterizedTest
    @EnumSource
    @EnabledForJreRange(min = JRE.JAVA_19)
    void stateOfASeriesIsRunningUntilItEnds(Repetition repetition) throws Throwable {
        HeldTask held = heldTask();
        ScheduledFuture<?> future = repetition.start(executor, held::run);
        await(held.begun);
        assertThat(ofFuture("state", future)).hasToString("RUNNING");
        held.release();
        eventually(() -> held.runs.get() > 2);
        assertThat(ofFuture("state", future)).hasToString("RUNNING");

        assertThat(future.cancel(true)).isTrue();

        assertThat(ofFuture("state", future)).hasToString("CANCELLED");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_19)
    void resultNowIsForSuccessOnly() throws Throwable {
        Future<String> succeeded = executor.submit(() -> "value");
        Future<String> failed = executor.submit(() -> {
            throw new IOException("on purpose");
        });
        ScheduledFuture<String> waiting = executor.schedule(() -> "later", 1, HOURS);
        awaitDone(succeeded);
        awaitDone(failed);

        assertThat(ofFuture("resultNow", succeeded)).isEqualTo("value");
        assertThatIllegalStateException().isThrownBy(() -> ofFuture("resultNow", failed));
        assertThatIllegalStateException().isThrownBy(() -> ofFuture("resultNow", waiting));
        assertThat(waiting.cancel(false)).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> ofFuture("resultNow", waiting));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_19)
    void exceptionNowIsForFailureOnly() throws Throwable {
        IOException failure = new IOException("on purpose");
        Future<String> succeeded = executor.submit(() -> "value");
        Future<String> failed = executor.schedule(
                () -> {
                    throw failure;
                },
                1,
                MILLISECONDS);
        ScheduledFuture<String> waiting = executor.schedule(() -> "later", 1, HOURS);
        awaitDone(succeeded);
        awaitDone(failed);

        assertThat(ofFuture("exceptionNow", failed)).isSameAs(failure);
        assertThatIllegalStateException().isThrownBy(() -> ofFuture("exceptionNow", succeeded));
        assertThatIllegalStateException().isThrownBy(() -> ofFuture("exceptionNow", waiting));
        assertThat(waiting.cancel(false)).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> ofFuture("exceptionNow", waiting));
    }

    @Test
    void closeWaitsForRunningAndDelayedTasks() throws Exception {
        AutoCloseable closeable = asCloseable();
        HeldTask held = hold(executor);
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", 40, MILLISECONDS);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);

        Caller<Boolean> closer = Caller.call(() -> closed(closeable));

        eventually(executor::isShutdown);
        assertThat(result(delayed)).isEqualTo("delayed");
        assertThat(closer.awaitBlocked().isBlocked()).isTrue();
        held.release();
        assertThat(closer.result()).as("terminated once closed").isTrue();
        assertThat(held.wasInterrupted()).isFalse();
        awaitCancelled(series);
    }

    @Test
    void closingAgainReturnsAtOnce() throws Exception {
        AutoCloseable closeable = asCloseable();
        assertThat(result(executor.submit(() -> "value"))).isEqualTo("value");

        assertThat(closed(closeable)).isTrue();
        assertThat(closed(closeable)).isTrue();
    }

    @Test
    void interruptedCloseStopsAllAndKeepsTheInterrupt() {
        AutoCloseable closeable = asCloseable();
        HeldTask held = hold(executor);
        ScheduledFuture<String> far = executor.schedule(() -> "far", 1, HOURS);
        Caller<Boolean> closer = Caller.call(() -> closed(closeable));
        eventually(executor::isShutdown);
        closer.awaitBlocked();

        closer.interrupt();

        assertThat(closer.result()).as("terminated once closed").isTrue();
        assertThat(closer.endedInterrupted()).isTrue();
        assertThat(held.wasInterrupted()).isTrue();
        assertThat(far.isDone() && !far.isCancelled()).as("ran").isFalse();
    }

    private boolean closed(AutoCloseable closeable) throws Exception {
        closeable.close();
        return executor.isTerminated();
    }

    /** An executor may be closeable before the JDK's own are. */
    private AutoCloseable asCloseable() {
        assumeThat(executor).isInstanceOf(AutoCloseable.class);
        return (AutoCloseable) executor;
    }

    private static Object ofFuture(String method, Future<?> future) throws Throwable {
        try {
            return Future.class.getMethod(method).invoke(future);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
