package io.github.wheelscheduler.soak;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.Objects.requireNonNull;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Does everything that can be done with timers from every place near the end of a stack, again and again, and then asks
 * whether nothing of what has failed is left behind. Arguments: the kind of workers, whether a group has them, how many
 * runs come first, and how many rounds follow.
 */
final class EndOfStackChild {

    private static final int FRAMES_NEAR_THE_END = 1_000;

    /**
     * Calls are made from one frame of so many, as an error takes the longer the deeper the stack is; each round from
     * others.
     */
    private static final int STEP = 4;

    private static final int CALLS = FRAMES_NEAR_THE_END / STEP;
    private static final int MAX_PENDING = 10_000;
    private static final int PLACES = 40;
    private static final int LONGEST_WAIT_SECONDS = 20;

    /** What is called, each on timers that are as far as they have to be for it. */
    private enum Verb {
        CANCEL,
        RUN,
        RESCHEDULE,
        EXECUTE,
        SCHEDULE,
        REMOVE
    }

    private final AtomicInteger ran = new AtomicInteger();

    /** Made before, as making a lambda the first time takes much stack. */
    private final Counting counting = new Counting(ran);

    private final WheelScheduledExecutor root;
    private final WheelScheduledExecutor executor;

    /** What a verb is to be called on, or has made; one for each call. */
    private final @Nullable WheelTimer<?>[] timers = new WheelTimer<?>[CALLS];

    /** Those of them whose call has failed. */
    private final boolean[] refused = new boolean[CALLS];

    private Verb verb = Verb.CANCEL;
    private int round;
    private int accepted;
    private int failures;
    private int done;
    private int framesLeft;
    private int calls;

    /** Timers that have been rescheduled or scheduled, and not run. */
    private long left;

    private EndOfStackChild(WorkerKind kind, boolean isGroup) {
        this.root = kind.applyTo(WheelScheduledExecutor.builder().maxPending(MAX_PENDING))
                .build();
        this.executor = isGroup
                ? root.newGroup("small")
                        .maxWorkers(2)
                        .queueCapacity(PLACES)
                        .onFull(OnFull.REJECT)
                        .build()
                : root;
    }

    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, ex) -> {
            ex.printStackTrace();
            System.exit(1);
        });
        EndOfStackChild child = new EndOfStackChild(WorkerKind.valueOf(args[0]), Boolean.parseBoolean(args[1]));
        if (Boolean.parseBoolean(args[1])) {
            child.checkFirstRejection();
        }
        int runsBefore = Integer.parseInt(args[2]);
        for (int i = 0; i < runsBefore; i++) {
            child.root.execute(child.counting);
            child.accepted++;
            if (i % 100 == 0) {
                child.awaitRuns();
            }
        }
        child.awaitRuns();
        int rounds = Integer.parseInt(args[3]);
        for (child.round = 0; child.round < rounds; child.round++) {
            for (Verb verb : Verb.values()) {
                child.verb = verb;
                child.check();
            }
        }
        child.terminate();
        System.out.println("> " + child.failures + " calls failed for want of stack, " + child.done
                + " did not, and none left anything behind");
        System.exit(child.failures == 0 || child.done == 0 ? 2 : 0);
    }

    /**
     * Has calls rejected at the end of a stack before any other is, as the JVM does not link again what it has failed
     * to link.
     */
    private void checkFirstRejection() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2 + PLACES; i++) {
            executor.execute(() -> awaitEnd(end));
        }
        verb = Verb.EXECUTE;
        prepare();
        call();
        try {
            executor.execute(counting);
            fail("a full group must reject");
        } catch (RejectedExecutionException ex) {
            // as it must
        }
        end.countDown();
        awaitThatOr(() -> executor.pendingCount() == 0, "nothing must be pending");
    }

    private static void awaitEnd(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void check() throws Exception {
        prepare();
        call();
        checkRefused();
        if (executor.pendingCount() != left && verb != Verb.EXECUTE) {
            // What was run or executed may be on their way.
            awaitThatOr(() -> executor.pendingCount() == left, "pending must be " + left);
        }
        for (@Nullable WheelTimer<?> timer : timers) {
            boolean ignored = timer != null && timer.cancel(false);
        }
        awaitRuns();
        awaitThatOr(() -> executor.pendingCount() == 0, "nothing must be pending");
        try {
            // As many as there are places.
            Future<?>[] all = new Future<?>[PLACES / 2];
            for (int i = 0; i < all.length; i++) {
                all[i] = executor.submit(() -> {});
            }
            for (Future<?> each : all) {
                each.get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            }
            int two = executor.schedule(() -> 2, 1, TimeUnit.MILLISECONDS).get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
            assert two == 2;
        } catch (TimeoutException | RejectedExecutionException ex) {
            fail("others must go on: " + ex);
        }
        awaitThatOr(
                () -> executor.remainingPending() == MAX_PENDING, "no place among the pending timers must be taken");
    }

    private void prepare() {
        calls = 0;
        left = 0;
        Arrays.fill(timers, null);
        Arrays.fill(refused, false);
        if (verb == Verb.EXECUTE || verb == Verb.SCHEDULE) {
            return;
        }
        for (int i = 0; i < CALLS; i++) {
            timers[i] = executor.schedule(counting, 1, TimeUnit.HOURS);
        }
        left = CALLS;
    }

    /**
     * Calls from a small thread, and in some rounds from a virtual one, and from the main thread, whose stack is large.
     */
    private void call() throws InterruptedException {
        if (round % 6 == 5) {
            goDown();
            return;
        }
        // Stacks of different sizes end at different places of the code.
        Thread caller = round % 6 == 2
                ? WorkerKind.lightThreads().newThread(this::goDown)
                : new Thread(null, this::goDown, "caller", 256 * 1024 + 112L * round);
        caller.start();
        caller.join();
    }

    /** Goes to the end of the stack, and calls from each of the last frames on the way back. */
    @SuppressWarnings("InfiniteRecursion") // on purpose
    private void goDown() {
        try {
            goDown();
        } catch (StackOverflowError ex) {
            framesLeft = FRAMES_NEAR_THE_END;
        }
        if (framesLeft > 0 && framesLeft-- % STEP == round % STEP && calls < CALLS) {
            try {
                callOnce();
                done++;
            } catch (StackOverflowError ex) {
                failures++;
                refused[calls] = true;
            } catch (RejectedExecutionException ex) {
                // A group is full now and then.
                done++;
            }
            calls++;
        }
    }

    private void callOnce() {
        switch (verb) {
            case EXECUTE -> {
                executor.execute(counting);
                accepted++;
            }
            case SCHEDULE -> {
                timers[calls] = executor.schedule(counting, 1, TimeUnit.HOURS);
                left++;
            }
            default -> callOn(requireNonNull(timers[calls]));
        }
    }

    private void callOn(WheelTimer<?> timer) {
        switch (verb) {
            case CANCEL -> {
                boolean ignored = timer.cancel(true);
                left--;
            }
            case RUN -> {
                timer.run();
                accepted++;
                left--;
            }
            case REMOVE -> {
                boolean ignored = executor.remove(timer);
                left--;
            }
            default -> {
                boolean ignored = timer.reschedule(30, TimeUnit.MINUTES);
            }
        }
    }

    /** A call that has failed has had no effect. */
    private void checkRefused() {
        for (int i = 0; i < calls; i++) {
            @Nullable WheelTimer<?> timer = timers[i];
            if (refused[i] && timer != null && (timer.isDone() || timer.getDelay(TimeUnit.MINUTES) < 31)) {
                fail("a call that has failed must have had no effect on " + timer);
            }
        }
    }

    private void awaitRuns() {
        awaitThatOr(() -> ran.get() == accepted, "runs must be as many as were accepted");
    }

    private void awaitThatOr(Callable<Boolean> condition, String rule) {
        try {
            awaitThat(condition);
        } catch (RuntimeException | Error ex) {
            fail(rule);
        }
    }

    private void fail(String rule) {
        System.out.println(rule + "; " + verb + " in round " + round + ", left = " + left + ", ran " + ran + " of "
                + accepted + ", remaining = " + executor.remainingPending() + " after " + failures
                + " calls at the end of a stack: " + executor);
        System.exit(1);
    }

    private void terminate() throws InterruptedException {
        executor.shutdown();
        root.shutdown();
        if (!executor.awaitTermination(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)
                || !root.awaitTermination(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
            fail("it must terminate");
        }
    }

    private record Counting(AtomicInteger ran) implements Runnable {
        @Override
        public void run() {
            ran.incrementAndGet();
        }
    }
}
