package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A bad argument fails the call that passed it, and nothing else. */
abstract class ArgumentContract extends SchedulerFixture {

    private final RecordingTask task = new RecordingTask();
    private final ThreadPoolTaskScheduler scheduler;

    ArgumentContract(SchedulerFactory factory) {
        super(factory);
        scheduler = created();
    }

    @BeforeEach
    void startScheduler() {
        scheduler.initialize();
    }

    @AfterEach
    void theSchedulerStillWorksAndTheTaskHasNotRun() {
        assertThat(scheduler.submit(() -> "still here")).succeedsWithin(PATIENCE);
        assertThat(task.hasRun()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SUBMIT_CALLABLE", "SUBMIT_COMPLETABLE_CALLABLE"})
    void noTaskIsNull(TaskKind kind) {
        assertNullFails(() -> kind.start(scheduler, forbiddenNull()));
    }

    @Test
    void noCompletableCallableIsNull() {
        Callable<String> nothing = forbiddenNull();

        assertNullFails(() -> scheduler.submitCompletable(nothing));
    }

    @Test
    void noInstantIsNull() {
        Instant nothing = forbiddenNull();

        assertNullFails(() -> scheduler.schedule(task, nothing));
        assertNullFails(() -> scheduler.scheduleAtFixedRate(task, nothing, AN_HOUR));
        assertNullFails(() -> scheduler.scheduleWithFixedDelay(task, nothing, AN_HOUR));
    }

    @Test
    void noTriggerIsNull() {
        Trigger nothing = forbiddenNull();

        assertNullFails(() -> scheduler.schedule(task, nothing));
    }

    @Test
    void noPeriodIsNull() {
        Duration nothing = forbiddenNull();
        Instant start = Instant.now().plus(AN_HOUR);

        assertNullFails(() -> scheduler.scheduleAtFixedRate(task, nothing));
        assertNullFails(() -> scheduler.scheduleAtFixedRate(task, start, nothing));
        assertNullFails(() -> scheduler.scheduleWithFixedDelay(task, nothing));
        assertNullFails(() -> scheduler.scheduleWithFixedDelay(task, start, nothing));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aPeriodIsPositive(long millis) {
        Duration period = Duration.ofMillis(millis);
        Instant start = Instant.now().plus(AN_HOUR);

        assertThatIllegalArgumentException().isThrownBy(() -> scheduler.scheduleAtFixedRate(task, period));
        assertThatIllegalArgumentException().isThrownBy(() -> scheduler.scheduleAtFixedRate(task, start, period));
        assertThatIllegalArgumentException().isThrownBy(() -> scheduler.scheduleWithFixedDelay(task, period));
        assertThatIllegalArgumentException().isThrownBy(() -> scheduler.scheduleWithFixedDelay(task, start, period));
    }

    /** Spring fails some nulls with one of these exceptions and some with the other; which is not the contract. */
    private static void assertNullFails(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfAny(NullPointerException.class, IllegalArgumentException.class);
    }
}
