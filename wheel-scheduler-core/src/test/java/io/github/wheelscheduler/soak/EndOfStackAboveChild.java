package io.github.wheelscheduler.soak;

import static io.github.wheelscheduler.testing.Patience.awaitThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * Calls what moves something of its own and then a timer, from places near the end of a stack: keys, tasks of a scheduler, pauses and
 * groups. What has failed must have had no effect, and what has not must have had all of it. Argument: how many rounds.
 */
final class EndOfStackAboveChild {

    private static final int FRAMES_NEAR_THE_END = 1_000;
    private static final int STEP = 4;
    private static final int CALLS = FRAMES_NEAR_THE_END / STEP;
    private static final Duration LATER = Duration.ofHours(1);
    private static final Duration EARLIER = Duration.ofMinutes(20);

    /** Made before, as making a lambda the first time takes much stack. */
    private static final Runnable NOTHING = new Nothing();

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final WheelScheduledExecutor executor;
    private final KeyedTimers<Integer, String> keys;
    private final Future<?>[] futures = new Future<?>[CALLS];
    private final boolean[] refused = new boolean[CALLS];

    private IntConsumer call = i -> {};
    private int round;
    private int calls;
    private int framesLeft;
    private int failures;

    private EndOfStackAboveChild() {
        scheduler.setPoolSize(2);
        scheduler.initialize();
        executor = scheduler.getWheelScheduledExecutor();
        keys = KeyedTimers.<Integer, String>builder(executor, (key, value) -> {})
                .maxSize(CALLS)
                .build();
    }

    public static void main(String[] args) throws Exception {
        EndOfStackAboveChild child = new EndOfStackAboveChild();
        int rounds = Integer.parseInt(args[0]);
        for (child.round = 0; child.round < rounds; child.round++) {
            child.checkKeys();
            child.checkTasks();
            child.checkPausesAndGroups();
        }
        child.keys.close();
        child.scheduler.shutdown();
        require(child.executor.awaitTermination(20, TimeUnit.SECONDS), "it must terminate");
        System.out.println("> " + child.failures + " calls failed for want of stack");
        System.exit(child.failures == 0 ? 2 : 0);
    }

    private void checkKeys() throws InterruptedException {
        setAll();
        callNearTheEnd(key -> keys.move(key, EARLIER));
        requireEach(key -> isEarlier(key) != refused[key], "a key must be moved unless that has failed");
        setAll();
        callNearTheEnd(key -> keys.set(key, "other", EARLIER));
        requireEach(key -> isEarlier(key) != refused[key], "a key must be set unless that has failed");
        awaitThat(() -> executor.pendingCount() == CALLS);
        callNearTheEnd(keys::remove);
        requireEach(key -> keys.isPending(key) == refused[key], "a key must be removed unless that has failed");
        requireEach(key -> keys.remove(key) == null || refused[key], "no key must be left");
        awaitThat(() -> executor.pendingCount() == 0);
        // As many as there are places for, so that none is lost.
        setAll();
        requireEach(key -> keys.remove(key) != null, "each key must be set");
    }

    private void setAll() {
        for (int key = 0; key < CALLS; key++) {
            String ignored = keys.set(key, "value", LATER);
        }
    }

    private boolean isEarlier(int key) {
        Duration remaining = keys.remaining(key);
        return remaining != null && remaining.compareTo(EARLIER) <= 0;
    }

    private void checkTasks() throws InterruptedException {
        Instant later = Instant.now().plus(LATER);
        for (int i = 0; i < CALLS; i++) {
            futures[i] = scheduler.scheduleAtFixedRate(NOTHING, later, LATER);
        }
        callNearTheEnd(i -> futures[i].cancel(true));
        requireEach(i -> futures[i].isCancelled() != refused[i], "a task must be cancelled unless that has failed");
        awaitThat(() -> executor.pendingCount() == refusedCalls());
        require(scheduler.getTaskRegistry().size() == refusedCalls(), "cancelled tasks must be forgotten");
        requireEach(i -> futures[i].cancel(true) == refused[i], "the others must be there");
        callNearTheEnd(i -> futures[i] = scheduler.scheduleAtFixedRate(NOTHING, later, LATER));
        awaitThat(() -> executor.pendingCount() == CALLS - refusedCalls());
        requireEach(i -> futures[i].cancel(true) != refused[i], "a task must be there unless that has failed");
        require(scheduler.getTaskRegistry().size() == 0, "no task must be left");
    }

    private void checkPausesAndGroups() throws InterruptedException {
        callNearTheEnd(i -> executor.pause());
        executor.resume();
        executor.pause();
        callNearTheEnd(i -> executor.resume());
        executor.resume();
        callNearTheEnd(i -> executor.group("group" + i));
        for (int i = 0; i < CALLS; i += 10) {
            Future<?> run = executor.group("group" + i).submit(NOTHING);
            awaitThat(run::isDone);
        }
        callNearTheEnd(i -> executor.group("group" + i).shutdown());
        for (int i = 0; i < CALLS; i++) {
            WheelScheduledExecutor group = executor.group("group" + i);
            group.shutdown();
            require(group.awaitTermination(20, TimeUnit.SECONDS), "a group must terminate");
        }
    }

    private void callNearTheEnd(IntConsumer next) throws InterruptedException {
        call = next;
        calls = 0;
        Arrays.fill(refused, false);
        Thread caller = new Thread(null, this::goDown, "caller", 256 * 1024 + 112L * round);
        caller.start();
        caller.join();
        failures += refusedCalls();
    }

    /** Goes to the end of the stack, and calls from some of the last frames on the way back. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void goDown() {
        try {
            goDown();
        } catch (StackOverflowError ex) {
            framesLeft = FRAMES_NEAR_THE_END;
        }
        if (framesLeft > 0 && framesLeft-- % STEP == round % STEP && calls < CALLS) {
            try {
                call.accept(calls);
            } catch (StackOverflowError ex) {
                refused[calls] = true;
            }
            calls++;
        }
    }

    private int refusedCalls() {
        int count = 0;
        for (boolean each : refused) {
            count += each ? 1 : 0;
        }
        return count;
    }

    private static void requireEach(IntPredicate condition, String rule) {
        for (int i = 0; i < CALLS; i++) {
            require(condition.test(i), rule + ", was not for " + i);
        }
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            System.out.println(rule);
            System.exit(1);
        }
    }

    private record Nothing() implements Runnable {
        @Override
        public void run() {}
    }
}
