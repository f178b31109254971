package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Modifier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What applications import keeps its package and name, no matter what moves behind it. */
class ImportedNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NamedTask",
                "OnFull",
                "RejectionHandler",
                "RunObserver",
                "TimeSource",
                "WheelScheduledExecutor",
                "WheelScheduledExecutorBuilder",
                "WheelSnapshot",
                "WheelTimer",
                "idle.IdleTimeout",
                "idle.IdleTimeoutCounts",
                "idle.IdleTimeouts",
                "keyed.DueEntry",
                "keyed.KeyedTimerCounts",
                "keyed.KeyedTimers",
                "lease.BatchRenewal",
                "lease.Lease",
                "lease.LeaseCounts",
                "lease.LeaseEnd",
                "lease.LeaseRenewer",
                "lease.LeaseStart",
                "lease.LossListener",
                "lease.Renewal",
                "metrics.MeterNames",
                "metrics.WheelSchedulerMetrics",
                "spring.SchedulerMode",
                "spring.TaskPausedAfterFailuresEvent",
                "spring.TimerWheel",
                "spring.WheelTask",
                "spring.WheelTaskScheduler",
                "spring.run.RunOutcome",
                "spring.settings.BackOff",
                "spring.settings.Gap",
                "spring.settings.JitterKind",
                "spring.settings.MissedRuns",
                "spring.settings.Overlap",
                "spring.settings.TaskCatalog",
                "spring.settings.TaskSettings",
                "spring.task.SkipReason",
                "spring.task.TaskInfo",
                "spring.task.TaskListener",
                "spring.task.TaskRegistry",
                "spring.task.TaskRouter",
                "spring.task.TaskSchedule",
                "spring.task.UnknownTaskException",
                "spring.watch.LatenessListener",
                "spring.watch.RunLateness",
                "spring.watch.WarningLimits",
                "autoconfigure.WheelSchedulerCustomizer",
                "autoconfigure.WheelTaskSchedulerBuilder",
                "durable.Durable",
                "durable.DurableEnd",
                "durable.DurableHandler",
                "durable.DurableListener",
                "durable.DurableObserver",
                "durable.DurableOutcome",
                "durable.DurableOverview",
                "durable.DurableRequest",
                "durable.DurableTask",
                "durable.DurableTasks",
                "durable.Recurrence",
                "durable.RecurringTasks",
                "durable.RetryPolicy",
                "durable.autoconfigure.DurableDataSource"
            })
    void aTypeForApplicationsIsPublicUnderItsName(String name) throws ClassNotFoundException {
        Class<?> type = Class.forName("io.github.wheelscheduler." + name);
        assertThat(Modifier.isPublic(type.getModifiers())).isTrue();
    }
}
