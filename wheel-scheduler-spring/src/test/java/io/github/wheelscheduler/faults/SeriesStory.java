package io.github.wheelscheduler.faults;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.github.wheelscheduler.internal.spring.observation.AnnotatedRun;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.config.FixedDelayTask;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;

/**
 * Runs tasks whose runs are observed, by Spring and by the scheduler, while one place of their runs fails: each series
 * goes on, and nothing of a run stays on its thread. {@link FaultLoader} loads it, together with the scheduler.
 */
public final class SeriesStory implements Consumer<Runnable> {

    private static final Duration OFTEN = Duration.ofMillis(1);
    private static final int MORE_RUNS = 5;

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Series> all = new ArrayList<>();

    @Override
    public void accept(Runnable arm) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        registry.observationConfig().observationHandler(new ObservedBySpring());
        scheduler.setRunObservation(new WheelRunObservation(() -> registry, ObservedTasks.NAMED, null));
        scheduler.setPoolSize(1);
        scheduler.getTaskRegistry().addListener(new TaskListener() {
            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {}
        });
        scheduler.initialize();
        try {
            play(scheduler, arm);
        } catch (Exception ex) {
            throw new AssertionError(ex);
        } finally {
            Fault.disarm();
            scheduler.shutdown();
        }
    }

    private void play(WheelTaskScheduler scheduler, Runnable arm) throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        scheduler.execute(() -> await(open));
        for (String id : List.of("job", "job~200")) {
            Series series = new Series();
            series.future = scheduler.getTaskRegistry().schedule(id, series::run, TaskSchedule.fixedDelay(OFTEN));
        }
        Series rate = new Series();
        rate.future = scheduler.scheduleAtFixedRate(rate::run, OFTEN);
        Series trigger = new Series();
        trigger.future = scheduler.schedule(trigger::run, new PeriodicTrigger(OFTEN));
        for (int i = 0; i < 2; i++) {
            Series series = new Series();
            Runnable method = new ScheduledMethodRunnable(series, Series.class.getMethod("run"), null, () -> registry);
            series.future = scheduler.scheduleWithFixedDelay(
                    new FixedDelayTask(method, OFTEN, OFTEN).getRunnable(), Instant.now(), OFTEN);
        }
        arm.run();
        open.countDown();
        for (Series each : all) {
            int before = each.runs.get();
            awaitThat(() -> each.runs.get() > before + MORE_RUNS || each.isOver());
        }
        Fault.disarm();
        for (Series each : all) {
            check("a series goes on, but not " + all.indexOf(each), !each.isOver());
        }
        Callable<@Nullable Observation> current = () -> AnnotatedRun.inScope(registry::getCurrentObservation);
        check("nothing of a run stays", scheduler.submit(current).get(Fault.patienceNanos(), NANOSECONDS) == null);
    }

    private static void await(CountDownLatch open) {
        try {
            boolean ignored = open.await(Fault.patienceNanos(), NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private static void check(String promise, boolean holds) {
        if (!holds) {
            throw new AssertionError("broken: " + promise);
        }
    }

    /** Every other run fails. */
    public final class Series {

        private final AtomicInteger runs = new AtomicInteger();
        private @Nullable ScheduledFuture<?> future;

        Series() {
            all.add(this);
        }

        /** Is run as a method that is annotated. */
        public void run() {
            if (runs.incrementAndGet() % 2 == 0) {
                throw new IllegalStateException("on purpose");
            }
        }

        private boolean isOver() {
            return future == null || future.isDone();
        }
    }

    /** As the auto-configuration has it. */
    private static final class ObservedBySpring implements ObservationHandler<ScheduledTaskObservationContext> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof ScheduledTaskObservationContext;
        }

        @Override
        public void onStart(ScheduledTaskObservationContext context) {
            AnnotatedRun.begun(context);
        }

        @Override
        public void onScopeOpened(ScheduledTaskObservationContext context) {
            AnnotatedRun.scopeOpened(context, "trace");
        }
    }
}
