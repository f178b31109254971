package io.github.wheelscheduler.spring.contract;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The whole contract: an implementation extends this class and says how its schedulers are made.
 *
 * <p>Implementations may differ in three things, and nothing here asserts them: how many workers there are where no
 * pool size was set, how missed runs of a fixed rate are made up, and closing while a far trigger is pending.
 */
abstract class TaskSchedulerContract implements SchedulerFactory {

    @Override
    public abstract ThreadPoolTaskScheduler create();

    @Override
    public abstract ThreadPoolTaskScheduler createWithHooks(
            BiConsumer<Thread, Runnable> before, BiConsumer<Runnable, @Nullable Throwable> after);

    @Nested
    class Submitting extends SubmissionContract {
        Submitting() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class OneTime extends OneTimeContract {
        OneTime() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Cancelling extends CancellationContract {
        Cancelling() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Periodic extends PeriodicContract {
        Periodic() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Triggers extends TriggerContract {
        Triggers() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class TriggerFutures extends TriggerFutureContract {
        TriggerFutures() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Errors extends ErrorHandlingContract {
        Errors() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Decorating extends DecoratorContract {
        Decorating() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Clocks extends ClockContract {
        Clocks() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Threads extends ThreadContract {
        Threads() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class PoolSizes extends PoolSizeContract {
        PoolSizes() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Rejecting extends RejectionContract {
        Rejecting() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Arguments extends ArgumentContract {
        Arguments() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Initializing extends InitializationContract {
        Initializing() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Pausing extends PauseContract {
        Pausing() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class ShuttingDown extends ShutdownContract {
        ShuttingDown() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class ShutdownPolicies extends ShutdownPolicyContract {
        ShutdownPolicies() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class ContextClosing extends ContextCloseContract {
        ContextClosing() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class Hooks extends HookContract {
        Hooks() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class AnnotatedMethods extends ScheduledMethodContract {
        AnnotatedMethods() {
            super(TaskSchedulerContract.this);
        }
    }

    @Nested
    class RegisteredTasks extends ScheduledTaskHolderContract {
        RegisteredTasks() {
            super(TaskSchedulerContract.this);
        }
    }
}
