package io.github.wheelscheduler.faults;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Patience;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Does everything with an executor and two groups that moves a timer, while one place fails, and asserts the promises.
 * A call that throws is made again, as a caller would. {@link FaultLoader} loads it, together with the engine.
 */
public final class Story implements Consumer<String> {

    /** Behind the kind of workers: the executor is stopped at the end, and not only shut down. */
    static final String STOPPED = ", stopped";

    private static final long MAX_PENDING = 1000;

    /** More than the times that a place fails. */
    private static final int CALLS = 20;

    private static final int ONE_TIME = 3;
    private static final int MORE_RUNS = 3;

    private final List<Counted> oneTime = new ArrayList<>();
    private final List<Series> series = new ArrayList<>();

    @Override
    public void accept(String how) {
        AtomicInteger builds = new AtomicInteger();
        WheelScheduledExecutor root = call(() -> {
            builds.incrementAndGet();
            return WorkerKind.valueOf(how.replace(STOPPED, ""))
                    .applyTo(WheelScheduledExecutor.builder()
                            .maxWorkers(4)
                            .maxPending(MAX_PENDING)
                            .runHooks(new RunHooks() {})
                            .wallClock(Clock.systemUTC())
                            .decorator(timer -> timer))
                    .build();
        });
        try {
            // A failure that came here is over.
            if (builds.get() == 1) {
                play(root, how.endsWith(STOPPED));
            }
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        } finally {
            Fault.disarm();
            root.shutdownNow();
        }
    }

    private void play(WheelScheduledExecutor root, boolean isStopped) throws InterruptedException {
        WheelScheduledExecutor refusing = call(() -> root.newGroup("refusing")
                .maxWorkers(1)
                .queueCapacity(0)
                .onFull(OnFull.REJECT)
                .build());
        WheelScheduledExecutor waiting =
                call(() -> root.newGroup("waiting").maxWorkers(1).build());
        List<WheelScheduledExecutor> all = List.of(root, waiting, refusing);
        root.setRunObserver((task, beforeNanos, queueNanos, nowNanos) -> {});
        WheelTimer<?> far = call(() -> root.schedule(() -> {}, 1, HOURS));
        Counted moved = new Counted();
        WheelTimer<?> moving = call(() -> root.schedule(moved, 1, HOURS));
        for (WheelScheduledExecutor executor : all) {
            series.add(new Series(executor, false));
            series.add(new Series(executor, true));
        }
        Counted dated = new Counted();
        WheelTimer<?> atInstant =
                call(() -> root.scheduleAt(dated, root.wallClockInstant().plusMillis(1)));
        oneTime.add(dated);
        for (int i = 0; i < ONE_TIME; i++) {
            runOnce(root, 0);
            runOnce(waiting, 0);
            runOnce(root, 2);
            runOnce(waiting, 2);
        }
        refuse(refusing);
        check("a far timer can be moved", call(() -> moving.reschedule(1, MILLISECONDS)));
        oneTime.add(moved);
        callVoid(root::pause);
        runOnce(root, 0);
        callVoid(root::resume);
        Future<String> result = call(() -> waiting.submit(() -> "ran"));
        awaitThat("a result comes", result::isDone);
        oneTime.forEach(Counted::awaitOnce);
        awaitThat("a timer of an instant ends", atInstant::isDone);
        Future<String> failing = call(() -> waiting.submit(() -> {
            throw new Fault.Thrown("task");
        }));
        awaitThat("a task that throws ends", failing::isDone);
        for (Series each : series) {
            each.awaitMore();
            each.cancel();
        }
        check("a far timer can be cancelled", call(() -> far.cancel(false)) || far.isCancelled());
        for (WheelScheduledExecutor executor : all) {
            awaitThat("nothing is pending", () -> executor.pendingCount() == 0);
            awaitThat("no run goes on", () -> executor.activeCount() == 0);
        }
        awaitThat("each permit is back", () -> root.remainingPending() == MAX_PENDING);
        CountDownLatch ran = new CountDownLatch(1);
        awaitThat("a group that was full takes a run", () -> accepts(refusing, ran::countDown));
        awaitThat("it runs", () -> ran.getCount() == 0);
        callVoid(refusing::shutdown);
        check("a group terminates by itself", refusing.awaitTermination(Fault.patienceNanos(), NANOSECONDS));
        if (isStopped) {
            stop(root, waiting);
        } else {
            endQuietly(root);
        }
        for (Counted each : oneTime) {
            check("a task that was accepted runs once, and ran " + each.runs, each.runs.get() == 1);
        }
    }

    private void runOnce(WheelScheduledExecutor executor, long delayMillis) {
        oneTime.add(call(() -> {
            Counted attempt = new Counted();
            if (delayMillis == 0) {
                executor.execute(attempt);
            } else {
                WheelTimer<?> ignored = executor.schedule(attempt, delayMillis, MILLISECONDS);
            }
            return attempt;
        }));
    }

    /** Fills the group, and hands it more. */
    private static void refuse(WheelScheduledExecutor refusing) {
        CountDownLatch open = new CountDownLatch(1);
        awaitThat("a group takes a run", () -> accepts(refusing, () -> await(open)));
        for (int i = 0; i < ONE_TIME; i++) {
            boolean ignored = accepts(refusing, () -> {});
            WheelTimer<?> later = call(() -> refusing.schedule(() -> {}, 1, MILLISECONDS));
            awaitThat("a refused timer ends", later::isDone);
        }
        open.countDown();
    }

    private static void await(CountDownLatch open) {
        try {
            boolean ignored = open.await(Fault.patienceNanos(), NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean accepts(WheelScheduledExecutor executor, Runnable task) {
        try {
            callVoid(() -> executor.execute(task));
            return true;
        } catch (RejectedExecutionException ex) {
            return false;
        }
    }

    /** Ends without a stop, once nothing is left. */
    private static void endQuietly(WheelScheduledExecutor root) throws InterruptedException {
        Future<String> last = call(() -> root.submit(() -> "ran"));
        callVoid(root::shutdown);
        check("it terminates by itself", root.awaitTermination(Fault.patienceNanos(), NANOSECONDS));
        check("what was accepted has run", last.isDone());
    }

    /** Stops with something in the wheel, and something that waits. */
    private static void stop(WheelScheduledExecutor root, WheelScheduledExecutor waiting) throws InterruptedException {
        CountDownLatch open = new CountDownLatch(1);
        Future<?> inRun = call(() -> waiting.submit(() -> await(open)));
        awaitThat("a run goes on", () -> waiting.activeCount() == 1);
        List<Future<?>> left = new ArrayList<>();
        left.add(call(() -> waiting.submit(() -> {})));
        left.add(call(() -> root.schedule(() -> {}, 1, HOURS)));
        callVoid(root::shutdown);
        List<Runnable> returned = new ArrayList<>();
        awaitThat("everything that has not run is returned", () -> {
            returned.addAll(call(root::shutdownNow));
            return returned.size() >= left.size();
        });
        check(
                "each is returned once",
                returned.size() == left.size() && new HashSet<Object>(returned).equals(new HashSet<Object>(left)));
        open.countDown();
        check("it terminates", root.awaitTermination(Fault.patienceNanos(), NANOSECONDS));
        check("the run that went on has ended", inRun.isDone());
        check("nothing is left of it", root.pendingCount() == 0 && root.activeCount() == 0);
    }

    private static void check(String promise, boolean holds) {
        if (!holds) {
            throw new AssertionError("broken: " + promise);
        }
    }

    private static void awaitThat(String promise, BooleanSupplier condition) {
        Duration patience = Duration.ofNanos(Fault.patienceNanos());
        check(promise, Patience.holdsWithin(patience, () -> call(condition::getAsBoolean)));
    }

    private static void callVoid(Runnable code) {
        boolean ignored = call(() -> {
            code.run();
            return true;
        });
    }

    /** Makes the call again for as long as it fails. */
    private static <T> T call(Callable<T> code) {
        for (int i = 0; i < CALLS; i++) {
            try {
                return code.call();
            } catch (VirtualMachineError | Fault.Thrown ex) {
                // As a caller would.
            } catch (RuntimeException ex) {
                throw ex;
            } catch (Exception ex) {
                throw new AssertionError(ex);
            }
        }
        throw new AssertionError("broken: a call works when there is memory again");
    }

    /** A task that counts its runs. */
    private static final class Counted implements Runnable {

        final AtomicInteger runs = new AtomicInteger();

        @Override
        public void run() {
            runs.incrementAndGet();
        }

        void awaitOnce() {
            awaitThat("a task that was accepted runs", () -> runs.get() > 0);
        }
    }

    /** A series that must go on, and must not overlap itself. */
    private static final class Series implements Runnable {

        private final AtomicInteger runs = new AtomicInteger();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean overlaps;
        private final WheelTimer<?> timer;

        Series(WheelScheduledExecutor executor, boolean isFixedRate) {
            timer = call(() -> isFixedRate
                    ? executor.scheduleAtFixedRate(this, 1, 1, MILLISECONDS)
                    : executor.scheduleWithFixedDelay(this, 1, 1, MILLISECONDS));
        }

        @Override
        public void run() {
            overlaps |= inside.incrementAndGet() != 1;
            runs.incrementAndGet();
            inside.decrementAndGet();
        }

        void awaitMore() {
            int before = runs.get();
            awaitThat("a series goes on", () -> runs.get() > before + MORE_RUNS);
            check("a series does not overlap itself", !overlaps);
        }

        void cancel() {
            check("a series can be cancelled", call(() -> timer.cancel(false)) || timer.isCancelled());
        }
    }
}
