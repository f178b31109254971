package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When the log says that something is wrong. */
class WarnProperties {

    /** How much later than its time the tick thread may hand over a task before a warning is logged. 0 for never. */
    private Duration oversleep = Duration.ofMillis(500);

    /** How long a due task may wait for a worker before a warning is logged. 0 for never. */
    private Duration queueWait = Duration.ofSeconds(1);

    /** How long a run may take before the stack of its thread is logged. Unlimited unless set, or with 0. */
    private @Nullable Duration run;

    /** How long a run of a registered task may take before it is interrupted. Unlimited unless set, or with 0. */
    private @Nullable Duration interruptRun;

    public Duration getOversleep() {
        return oversleep;
    }

    public void setOversleep(Duration oversleep) {
        this.oversleep = oversleep;
    }

    public Duration getQueueWait() {
        return queueWait;
    }

    public void setQueueWait(Duration queueWait) {
        this.queueWait = queueWait;
    }

    public @Nullable Duration getRun() {
        return run;
    }

    public void setRun(@Nullable Duration run) {
        this.run = run;
    }

    public @Nullable Duration getInterruptRun() {
        return interruptRun;
    }

    public void setInterruptRun(@Nullable Duration interruptRun) {
        this.interruptRun = interruptRun;
    }

    void check() {
        WheelSchedulerProperties.requireNotNegative(".warn.oversleep", oversleep, "500ms");
        WheelSchedulerProperties.requireNotNegative(".warn.queue-wait", queueWait, "1s");
        WheelSchedulerProperties.requireNotNegative(".warn.run", run, "30s");
        WheelSchedulerProperties.requireNotNegative(".warn.interrupt-run", interruptRun, "10m");
        UnusableSettingException.unless(
                run == null
                        || run.isZero()
                        || interruptRun == null
                        || interruptRun.isZero()
                        || interruptRun.compareTo(run) >= 0,
                WheelSchedulerProperties.PREFIX + ".warn.interrupt-run",
                interruptRun,
                "must not be shorter than " + WheelSchedulerProperties.PREFIX + ".warn.run, which is " + run,
                String.valueOf(run));
    }

    WarningLimits toLimits() {
        return new WarningLimits(oversleep, queueWait, run, interruptRun);
    }
}
