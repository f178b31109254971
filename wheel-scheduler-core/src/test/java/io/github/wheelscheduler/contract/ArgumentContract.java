package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Null and values out of range are refused by every method that takes them, and leave nothing behind. */
abstract class ArgumentContract extends ContractFixture {

    private static final Callable<String> CALLABLE = Executors.callable(ArgumentContract::nothing, "value");

    ArgumentContract(Subject subject) {
        super(subject);
    }

    /** Every argument of every method of the executor that may not be null. */
    @SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // calls that throw, without state
    enum NullArgument {
        EXECUTE_TASK(on -> on.execute(none())),
        SUBMIT_RUNNABLE(on -> on.submit(ArgumentContract.<Runnable>none())),
        SUBMIT_RUNNABLE_WITH_RESULT(on -> on.submit(none(), "result")),
        SUBMIT_CALLABLE(on -> on.submit(ArgumentContract.<Callable<String>>none())),
        SCHEDULE_RUNNABLE(on -> on.schedule(ArgumentContract.<Runnable>none(), 1, HOURS)),
        SCHEDULE_RUNNABLE_UNIT(on -> on.schedule(ArgumentContract::nothing, 1, none())),
        SCHEDULE_CALLABLE(on -> on.schedule(ArgumentContract.<Callable<String>>none(), 1, HOURS)),
        SCHEDULE_CALLABLE_UNIT(on -> on.schedule(CALLABLE, 1, none())),
        RATE_TASK(on -> on.scheduleAtFixedRate(none(), 1, 1, HOURS)),
        RATE_UNIT(on -> on.scheduleAtFixedRate(ArgumentContract::nothing, 1, 1, none())),
        DELAY_TASK(on -> on.scheduleWithFixedDelay(none(), 1, 1, HOURS)),
        DELAY_UNIT(on -> on.scheduleWithFixedDelay(ArgumentContract::nothing, 1, 1, none())),
        INVOKE_ALL_TASKS(on -> on.invokeAll(ArgumentContract.<Collection<Callable<String>>>none())),
        INVOKE_ALL_ELEMENT(on -> on.invokeAll(listEndingWithNull())),
        INVOKE_ALL_TIMED_TASKS(on -> on.invokeAll(ArgumentContract.<Collection<Callable<String>>>none(), 1, SECONDS)),
        INVOKE_ALL_TIMED_ELEMENT(on -> on.invokeAll(listEndingWithNull(), 1, SECONDS)),
        INVOKE_ALL_TIMED_UNIT(on -> on.invokeAll(List.of(CALLABLE), 1, none())),
        INVOKE_ANY_TASKS(on -> on.invokeAny(ArgumentContract.<Collection<Callable<String>>>none())),
        INVOKE_ANY_ELEMENT(on -> on.invokeAny(listOfNull())),
        INVOKE_ANY_TIMED_TASKS(on -> on.invokeAny(ArgumentContract.<Collection<Callable<String>>>none(), 1, SECONDS)),
        INVOKE_ANY_TIMED_ELEMENT(on -> on.invokeAny(listOfNull(), 1, SECONDS)),
        INVOKE_ANY_TIMED_UNIT(on -> on.invokeAny(List.of(CALLABLE), 1, none())),
        AWAIT_TERMINATION_UNIT(on -> on.awaitTermination(1, none()));

        private final Call call;

        NullArgument(Call call) {
            this.call = call;
        }
    }

    @FunctionalInterface
    interface Call {
        void on(ScheduledExecutorService executor) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void nullIsRefused(NullArgument argument) {
        assertThatNullPointerException().isThrownBy(() -> argument.call.on(executor));

        assertThat(executor.shutdownNow()).as("left behind").noneMatch(each -> ((Delayed) each).getDelay(SECONDS) > 0);
    }

    @Test
    void futureRefusesNull() {
        ScheduledFuture<String> waiting = executor.schedule(CALLABLE, 1, HOURS);
        ScheduledFuture<String> ended = executor.schedule(CALLABLE, 0, HOURS);
        Future<String> submitted = executor.submit(CALLABLE);
        awaitDone(ended);
        awaitDone(submitted);

        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> waiting.get(1, none()),
                () -> ended.get(1, none()),
                () -> submitted.get(1, none()),
                () -> waiting.getDelay(none()),
                () -> ended.getDelay(none()),
                () -> waiting.compareTo(ArgumentContract.<Delayed>none()))) {
            assertThatNullPointerException().isThrownBy(call);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, -1_000_000, Long.MIN_VALUE})
    void aPeriodThatIsNotPositiveIsRefused(long period) {
        for (TimeUnit unit : List.of(NANOSECONDS, SECONDS, DAYS)) {
            for (long initialDelay : new long[] {-1, 0, 1}) {
                for (Repetition repetition : Repetition.values()) {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() ->
                                    repetition.start(executor, ArgumentContract::nothing, initialDelay, period, unit));
                }
            }
        }
        assertThat(executor.shutdownNow()).as("left behind").isEmpty();
    }

    @Test
    void periodOfOneNanosecondIsTheShortest() {
        for (Repetition repetition : Repetition.values()) {
            ScheduledFuture<?> future = repetition.start(executor, ArgumentContract::nothing, 1, 1, NANOSECONDS);

            assertPending(future);
            assertThat(future.cancel(false)).isTrue();
        }
    }

    @Test
    void nullResultIsAResult() {
        Callable<String> returnsNull = ArgumentContract::none;

        assertThat(result(executor.<String>submit(ArgumentContract::nothing, none())))
                .isNull();
        assertThat(result(executor.submit(returnsNull))).isNull();
        assertThat(result(executor.schedule(returnsNull, 1, NANOSECONDS))).isNull();
    }

    private static void nothing() {}

    private static List<Callable<String>> listEndingWithNull() {
        return new ArrayList<>(Arrays.asList(CALLABLE, CALLABLE, ArgumentContract.<Callable<String>>none()));
    }

    private static List<Callable<String>> listOfNull() {
        return new ArrayList<>(Arrays.asList(ArgumentContract.<Callable<String>>none()));
    }

    /** Returns the null that a caller without null checks might pass. */
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T none() {
        @Nullable T none = null;
        return none;
    }
}
