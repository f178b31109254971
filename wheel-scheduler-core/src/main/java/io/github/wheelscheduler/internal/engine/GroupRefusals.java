package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StripedCount;
import io.github.wheelscheduler.internal.worker.Starter;
import io.github.wheelscheduler.internal.worker.Workers;
import java.lang.System.Logger.Level;
import java.util.concurrent.RejectedExecutionException;

/**
 * Ends runs that a full group rejects. This may call the user's code, which must not happen on the tick thread, so a
 * dedicated worker, created lazily, does it.
 */
final class GroupRefusals implements Workers.Listener {

    private final String group;
    private final OnFull onFull;
    private final GroupSlots slots;
    private final Workers.Listener owner;
    final Workers workers;
    final StripedCount count = new StripedCount();

    /** Made before it is needed, as there may be no memory then. */
    private final RejectedExecutionException withoutText;

    GroupRefusals(ExecutorSettings settings, Starter starter, GroupSlots slots, Workers.Listener owner) {
        this.group = String.valueOf(settings.groupName());
        this.onFull = settings.onFull();
        this.slots = slots;
        this.owner = owner;
        this.withoutText = new RejectedExecutionException("Run rejected, because group " + group + " is full");
        this.workers = settings.newRefusalWorkers(starter, this);
    }

    @Override
    public void wentIdle() {
        owner.wentIdle();
        owner.ended();
    }

    @Override
    public void ended() {
        wentIdle();
    }

    @Override
    public void escaped(Runnable run, Throwable failure) {
        if (run instanceof Refused refused) {
            refused.endIfLeft();
        }
    }

    /**
     * Creates the task that ends the run of a rejected timer. It is created before the timer is claimed, as this needs
     * memory. No text is built, as an error may skip the handlers of a frame that builds one (see
     * {@code SeparateFrame}). Tick thread.
     */
    Refused newRefused(ScheduledTimer<?> timer) {
        return new Refused(timer, slots.maxSize(), slots.taken());
    }

    /** Returns why a call is rejected. */
    String reason() {
        count.increment();
        return reason(slots.text(slots.maxSize(), slots.taken()));
    }

    private String reason(String numbers) {
        return "group " + group + " is full: " + numbers;
    }

    /** The task that the worker runs in place of the timer. */
    final class Refused implements Runnable {

        final ScheduledTimer<?> timer;
        private final int maxSize;
        private final int taken;
        private boolean isTaskTold;

        Refused(ScheduledTimer<?> timer, int maxSize, int taken) {
            this.timer = timer;
            this.maxSize = maxSize;
            this.taken = taken;
        }

        /** Hands this to the worker; the timer has been claimed. Tick thread. */
        void handOver(long nowNanos) {
            workers.handOver(this, nowNanos);
            workers.signalHandOver(false);
        }

        /**
         * Ends the run that the timer is ready for without calling the task, because its group is full. A series
         * continues. The timer ends or is armed again, even where memory is short.
         */
        @Override
        public void run() {
            if (!timer.startRefusal()) {
                return;
            }
            boolean isTold = false;
            while (!isTold) {
                try {
                    timer.owner().refused(timer);
                    isTold = true;
                } catch (OutOfMemoryError ex) {
                    ShortMemory.pause();
                }
            }
            count.increment();
            goOn(reason());
        }

        /** Ends the run if an error has skipped the code that ends it. Throws nothing. */
        void endIfLeft() {
            while (timer.isStillInRun()) {
                try {
                    goOn(withoutText);
                } catch (OutOfMemoryError ex) {
                    ShortMemory.pause();
                } catch (Throwable ex) {
                    // Its pacing fails, as it would at the end of a run.
                    timer.endIfLeft(ScheduledTimer.Failure.of(ex));
                }
            }
        }

        private void goOn(RejectedExecutionException reason) {
            try {
                if (!isTaskTold && timer.task() instanceof ManagedTask managed) {
                    isTaskTold = true;
                    managed.refused(reason);
                }
            } catch (Throwable ex) {
                EngineLog.log(
                        Level.WARNING,
                        "The callback of a rejected run failed; the run stays rejected, but may not be recorded. Fix "
                                + "the code that threw, or raise the limits of its group",
                        null,
                        ex);
            }
            while (timer.isStillInRun()) {
                try {
                    end(reason);
                } catch (OutOfMemoryError ex) {
                    ShortMemory.pause();
                }
            }
        }

        private void end(RejectedExecutionException reason) {
            if (timer instanceof PeriodicTimer periodic) {
                timer.owner().repeat(periodic, false);
            } else if (onFull == OnFull.DROP) {
                timer.endRun();
            } else {
                timer.finish(ScheduledTimer.Failure.of(reason), false);
            }
        }

        /** Returns why, on the worker; throws nothing. */
        private RejectedExecutionException reason() {
            try {
                return new RejectedExecutionException("Run rejected, because "
                        + GroupRefusals.this.reason(slots.text(maxSize, taken)) + ": " + timer);
            } catch (Throwable ex) {
                // There is no memory for the text, or the task's own text fails.
                return withoutText;
            }
        }

        @Override
        public String toString() {
            return timer.toString();
        }
    }
}
