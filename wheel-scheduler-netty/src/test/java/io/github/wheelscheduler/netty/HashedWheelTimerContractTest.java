package io.github.wheelscheduler.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Netty's own. */
class HashedWheelTimerContractTest extends OneThreadTimerContract {

    /** It logs what tests throw, and that there are many timers. */
    private static final Logger QUIET = Logger.getLogger(HashedWheelTimer.class.getName());

    static {
        QUIET.setLevel(Level.OFF);
    }

    @Override
    Timer create(long maxPending) {
        return new HashedWheelTimer(
                Executors.defaultThreadFactory(), 1, MILLISECONDS, 512, false, maxPending == 0 ? -1 : maxPending);
    }

    /** Netty's own runs what was due a millisecond ago before the others if its thread is late. */
    @Override
    long noDelay(int number) {
        return 0;
    }

    @Override
    long pending(Timer timer) {
        return ((HashedWheelTimer) timer).pendingTimeouts();
    }
}
