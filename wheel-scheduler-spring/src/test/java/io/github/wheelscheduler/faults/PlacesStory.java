package io.github.wheelscheduler.faults;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Patience;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Schedules and cancels tasks whose ids are beside each other, while one place of that fails: a call that throws can be
 * made again, other tasks keep their ids, and cancelled ones are gone.
 */
public final class PlacesStory implements Consumer<Runnable> {

    private static final Duration HOUR = Duration.ofHours(1);

    @Override
    public void accept(Runnable arm) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.initialize();
        try {
            play(scheduler, scheduler.getTaskRegistry(), arm);
        } finally {
            Fault.disarm();
            scheduler.shutdown();
        }
    }

    private static void play(WheelTaskScheduler scheduler, TaskRegistry registry, Runnable arm) {
        registry.addListener(new TaskListener() {});
        Future<?> first = scheduler.scheduleAtFixedRate(new Job(), Instant.now().plus(HOUR), HOUR);
        Future<?> beside = give(registry, "job~300");
        Future<?> done = registry.schedule("done", new Job(), TaskSchedule.once(Instant.now()));
        Patience.awaitThat(done::isDone);
        List<Future<?>> kept = List.of(first, beside);
        arm.run();
        cancel(call(() -> give(registry, "done")));
        for (int i = 0; i < 2; i++) {
            Future<?> given = call(() -> give(registry, "job~200"));
            Future<?> numbered = call(
                    () -> scheduler.scheduleAtFixedRate(new Job(), Instant.now().plus(HOUR), HOUR));
            cancel(numbered);
            cancel(given);
        }
        Fault.disarm();
        check(
                "there are the two that were not cancelled, not " + registry.ids(),
                List.of("job", "job~300").equals(registry.ids()));
        check("there are two, not " + registry.size(), registry.size() == 2);
        check("two are pending", scheduler.getWheelScheduledExecutor().pendingCount() == 2);
        for (Future<?> each : kept) {
            check("a task can be cancelled", each.cancel(false));
        }
        check("nothing is left", registry.size() == 0);
    }

    private static Future<?> give(TaskRegistry registry, String name) {
        return registry.schedule(
                name, new Job(), TaskSchedule.once(Instant.now().plus(HOUR)));
    }

    private static void cancel(Future<?> task) {
        check("a task can be cancelled", call(() -> task.cancel(false)) || task.isCancelled());
    }

    private static void check(String promise, boolean holds) {
        if (!holds) {
            throw new AssertionError("broken: " + promise);
        }
    }

    /** Makes the call again if it fails. */
    private static <T> T call(Callable<T> code) {
        try {
            try {
                return code.call();
            } catch (OutOfMemoryError ex) {
                return code.call();
            }
        } catch (Exception ex) {
            throw new AssertionError("broken: a call works when there is memory again", ex);
        }
    }

    private static final class Job implements Runnable, NamedTask {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "job";
        }
    }
}
