package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A caller that sees that nothing is pending is not refused for the bound on what is pending, at whichever moment that
 * is.
 */
class PermitsTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final WheelScheduledExecutor root =
            stops.use(WheelScheduledExecutor.builder().maxPending(1).build());

    private WheelScheduledExecutor executor(boolean isGroup) {
        return isGroup ? root.newGroup("group").build() : root;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void permitIsFreeOnceAStartIsCounted(boolean isGroup) throws Exception {
        Next next = new Next(executor(isGroup));
        Watched timer = new Watched(next, 0);
        Watched armed = EngineOf.executor(next.executor).arming.arm(timer, true);
        assertThat(armed.get(30, SECONDS)).isNull();
        assertAccepted(next);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void permitIsFreeOnceACancelIsCounted(boolean isGroup) throws Exception {
        Next next = new Next(executor(isGroup));
        Watched timer = new Watched(next, HOURS.toNanos(1));
        assertThat(EngineOf.executor(next.executor).arming.arm(timer, false).cancel(false))
                .isTrue();
        assertAccepted(next);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void permitIsFreeOnceARemovalIsCounted(boolean isGroup) throws Exception {
        Next next = new Next(executor(isGroup));
        Watched timer = new Watched(next, HOURS.toNanos(1));
        Engine engine = EngineOf.executor(next.executor);
        assertThat(engine.remove(engine.arming.arm(timer, false))).isTrue();
        assertAccepted(next);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pendingTimersStayWithinTheBoundWhileTheyComeAndGo(boolean isGroup) throws Exception {
        WheelScheduledExecutor executor = executor(isGroup);
        Thread caller = new Thread(() -> {
            for (int round = 0; round < 300_000; round++) {
                boolean ignored = executor.schedule(() -> {}, 1, HOURS).cancel(false);
            }
        });
        caller.start();
        long most = 0;
        while (caller.isAlive()) {
            most = Math.max(most, executor.pendingCount());
        }
        caller.join();
        assertThat(most).isEqualTo(1);
        assertThat(executor.pendingCount()).isZero();
    }

    private static void assertAccepted(Next next) throws Exception {
        next.scheduleIfNothingIsPending();
        Future<String> accepted = next.accepted;
        assertThat(accepted).isNotNull();
        assertThat(accepted == null ? "" : accepted.get(30, SECONDS)).isEqualTo("ran");
    }

    /** What is scheduled as soon as nothing is pending. */
    private static final class Next implements Callable<String> {

        final WheelScheduledExecutor executor;
        volatile @Nullable Future<String> accepted;

        Next(WheelScheduledExecutor executor) {
            this.executor = executor;
        }

        void scheduleIfNothingIsPending() {
            if (accepted == null && executor.pendingCount() == 0) {
                accepted = executor.schedule(this, 0, SECONDS);
            }
        }

        @Override
        public String call() {
            return "ran";
        }
    }

    /**
     * Looks whether nothing is pending whenever it is asked whether it repeats, or for its permit, as it is just before
     * that is free.
     */
    private static final class Watched extends RunnableTimer {

        private final Next next;

        Watched(Next next, long delayNanos) {
            super(
                    EngineOf.executor(next.executor),
                    () -> {},
                    EngineOf.executor(next.executor).deadlineNow() + delayNanos);
            this.next = next;
        }

        @Override
        public boolean isRepeating() {
            next.scheduleIfNothingIsPending();
            return super.isRepeating();
        }

        @Override
        boolean takePermit() {
            next.scheduleIfNothingIsPending();
            return super.takePermit();
        }
    }
}
