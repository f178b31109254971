package io.github.wheelscheduler.spring.soak;

import static io.github.wheelscheduler.soak.NearTheEndOfTheStack.CALLS;
import static io.github.wheelscheduler.soak.NearTheEndOfTheStack.require;
import static io.github.wheelscheduler.soak.NearTheEndOfTheStack.requireEach;
import static io.github.wheelscheduler.testing.Patience.awaitThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.soak.NearTheEndOfTheStack;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Calls what moves something of its own and then a timer, from places near the end of a stack: tasks of a scheduler,
 * pauses and groups. A call that has failed must have had no effect, any other its whole effect. Argument: the number
 * of rounds.
 */
final class EndOfStackAboveChild {

    private static final Duration LATER = Duration.ofHours(1);

    /** Made before, as making a lambda the first time takes much stack. */
    private static final Runnable NOTHING = new Nothing();

    private final NearTheEndOfTheStack stack = new NearTheEndOfTheStack();
    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final WheelScheduledExecutor executor;
    private final Future<?>[] futures = new Future<?>[CALLS];

    private EndOfStackAboveChild() {
        scheduler.setPoolSize(2);
        scheduler.initialize();
        executor = scheduler.getWheelScheduledExecutor();
    }

    public static void main(String[] args) throws Exception {
        EndOfStackAboveChild child = new EndOfStackAboveChild();
        int rounds = Integer.parseInt(args[0]);
        for (int round = 0; round < rounds; round++) {
            child.stack.begin(round);
            child.checkTasks();
            child.checkPausesAndGroups();
        }
        child.scheduler.shutdown();
        require(child.executor.awaitTermination(20, TimeUnit.SECONDS), "it must terminate");
        System.out.println("> " + child.stack.failures() + " calls failed for want of stack");
        System.exit(child.stack.failures() == 0 ? 2 : 0);
    }

    private void checkTasks() throws InterruptedException {
        Instant later = Instant.now().plus(LATER);
        for (int i = 0; i < CALLS; i++) {
            futures[i] = scheduler.scheduleAtFixedRate(NOTHING, later, LATER);
        }
        stack.call(i -> futures[i].cancel(true));
        requireEach(
                i -> futures[i].isCancelled() != stack.isRefused(i), "a task must be cancelled unless that has failed");
        awaitThat(() -> executor.pendingCount() == stack.refusedCalls());
        require(scheduler.getTaskRegistry().size() == stack.refusedCalls(), "cancelled tasks must be forgotten");
        requireEach(i -> futures[i].cancel(true) == stack.isRefused(i), "the others must be there");
        stack.call(i -> futures[i] = scheduler.scheduleAtFixedRate(NOTHING, later, LATER));
        awaitThat(() -> executor.pendingCount() == CALLS - stack.refusedCalls());
        requireEach(i -> futures[i].cancel(true) != stack.isRefused(i), "a task must be there unless that has failed");
        require(scheduler.getTaskRegistry().size() == 0, "no task must be left");
    }

    private void checkPausesAndGroups() throws InterruptedException {
        stack.call(i -> executor.pause());
        executor.resume();
        executor.pause();
        stack.call(i -> executor.resume());
        executor.resume();
        stack.call(i -> executor.group("group" + i));
        for (int i = 0; i < CALLS; i += 10) {
            Future<?> run = executor.group("group" + i).submit(NOTHING);
            awaitThat(run::isDone);
        }
        stack.call(i -> executor.group("group" + i).shutdown());
        for (int i = 0; i < CALLS; i++) {
            WheelScheduledExecutor group = executor.group("group" + i);
            group.shutdown();
            require(group.awaitTermination(20, TimeUnit.SECONDS), "a group must terminate");
        }
    }

    private record Nothing() implements Runnable {
        @Override
        public void run() {}
    }
}
