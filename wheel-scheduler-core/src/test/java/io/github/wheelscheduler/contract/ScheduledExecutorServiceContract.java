package io.github.wheelscheduler.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The contract of {@code ScheduledExecutorService} as the JDK documents it and its own executor keeps it, theme by
 * theme. A short subclass names the implementation. With eight workers or more an implementation may have as many as it
 * likes, and a limit to made up runs must not be below four; nothing else may differ.
 */
@ExtendWith(OnlyParts.Condition.class)
abstract class ScheduledExecutorServiceContract implements Subject {

    @Nested
    class OneShot extends OneShotContract {
        OneShot() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Submission extends SubmissionContract {
        Submission() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Order extends OrderContract {
        Order() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Future extends FutureContract {
        Future() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Cancellation extends CancellationContract {
        Cancellation() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Interrupt extends InterruptContract {
        Interrupt() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Delayed extends DelayedContract {
        Delayed() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Periodic extends PeriodicContract {
        Periodic() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class PeriodicEnd extends PeriodicEndContract {
        PeriodicEnd() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class FixedRate extends FixedRateContract {
        FixedRate() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class FixedDelay extends FixedDelayContract {
        FixedDelay() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class InvokeAll extends InvokeAllContract {
        InvokeAll() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class InvokeAny extends InvokeAnyContract {
        InvokeAny() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Argument extends ArgumentContract {
        Argument() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Shutdown extends ShutdownContract {
        Shutdown() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class ShutdownPolicy extends ShutdownPolicyContract {
        ShutdownPolicy() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class ShutdownNow extends ShutdownNowContract {
        ShutdownNow() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Rejection extends RejectionContract {
        Rejection() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class Concurrency extends ConcurrencyContract {
        Concurrency() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class FewThreads extends FewThreadsContract {
        FewThreads() {
            super(ScheduledExecutorServiceContract.this);
        }
    }

    @Nested
    class LaterJdk extends LaterJdkContract {
        LaterJdk() {
            super(ScheduledExecutorServiceContract.this);
        }
    }
}
