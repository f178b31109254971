package io.github.wheelscheduler.spring.clock;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronTrigger;

/** Has calendar tasks while its wall clock jumps, forward by an hour and back by two, and says what became of them. */
final class ClockJumpChild {

    static final String FORWARD = "> awaits the jump forward";
    static final String BACK = "> awaits the jump back";

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long LIMIT_NANOS = MINUTE_NANOS;
    private static final int AFTERWARDS_MILLIS = 4_000;

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final AtomicLong ranNanos = new AtomicLong();
    private final List<Instant> instants = new CopyOnWriteArrayList<>();

    private ClockJumpChild() {}

    public static void main(String[] args) throws InterruptedException {
        new ClockJumpChild().run();
    }

    private void run() throws InterruptedException {
        scheduler.initialize();
        Instant halfAnHourAhead = Instant.now().plus(Duration.ofMinutes(30));
        ScheduledFuture<?> once = scheduler.schedule(
                () -> ranNanos.set(System.nanoTime()),
                context -> context.lastCompletion() == null ? halfAnHourAhead : null);
        CronTrigger everySecond = new CronTrigger("* * * * * *");
        Instant[] next = new Instant[1];
        ScheduledFuture<?> cron = scheduler.schedule(() -> instants.add(next[0]), context -> {
            @Nullable Instant named = everySecond.nextExecution(context);
            next[0] = named;
            return named;
        });
        // The clocks have been compared by then.
        await(() -> instants.size() >= 3);
        long forwardNanos = awaitJump(FORWARD, MINUTE_NANOS);
        await(() -> ranNanos.get() != 0);
        say("forward: the task that was skipped ran", ranNanos.get() - forwardNanos);
        await(() -> jumps() >= 1);
        Thread.sleep(AFTERWARDS_MILLIS);
        long backNanos = awaitJump(BACK, -MINUTE_NANOS);
        await(() -> jumps() >= 2);
        say("back: noticed", System.nanoTime() - backNanos);
        int runsThen = instants.size();
        Thread.sleep(AFTERWARDS_MILLIS);
        System.out.println("> runs of the cron after the jump back: " + (instants.size() - runsThen));
        System.out.println("> instants of the cron: " + instants.size() + ", different ones: "
                + instants.stream().distinct().count());
        boolean ignored = once.cancel(false);
        ignored = cron.cancel(false);
        scheduler.shutdown();
    }

    private static void say(String what, long nanos) {
        System.out.println("> " + what + " within " + nanos / 1_000_000 + " ms");
    }

    private long jumps() {
        return scheduler.getWheelScheduledExecutor().snapshot().tick().clockJumps();
    }

    /**
     * Asks for a jump, and waits until the wall clock has moved by more than that against the monotonic one; returns
     * when that was.
     */
    private static long awaitJump(String request, long byNanos) throws InterruptedException {
        long offset = offset();
        System.out.println(request);
        long startNanos = System.nanoTime();
        while (byNanos > 0 ? offset() - offset < byNanos : offset() - offset > byNanos) {
            failAfter(startNanos);
            Thread.sleep(1);
        }
        return System.nanoTime();
    }

    private static long offset() {
        return Duration.between(Instant.EPOCH, Instant.now()).toNanos() - System.nanoTime();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (!condition.getAsBoolean()) {
            failAfter(startNanos);
            Thread.sleep(1);
        }
    }

    private static void failAfter(long startNanos) {
        if (System.nanoTime() - startNanos > LIMIT_NANOS) {
            System.out.println("It has waited for a minute");
            System.exit(1);
        }
    }
}
