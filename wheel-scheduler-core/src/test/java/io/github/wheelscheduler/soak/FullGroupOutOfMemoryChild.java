package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a JVM whose small heap is full for some spells, while 200 series find a group full most of the
 * time: none may stay in a run for ever, and counts and places must be exact. It says whether an error came from a
 * frame that the JVM could not turn back into interpreted ones for lack of memory: handlers in such a frame are
 * skipped.
 */
public final class FullGroupOutOfMemoryChild {

    /** What it prints then. */
    static final String SKIPPED = "> an error has skipped the handlers of its frame";

    private static final String MESSAGE = "failed reallocation of scalar replaced objects";
    private static final int SERIES = 200;
    private static final long PERIOD_NANOS = 10 * Nap.MILLI;
    private static final long SPELL_NANOS = 200 * Nap.MILLI;
    private static final long PAUSE_NANOS = 50 * Nap.MILLI;
    private static final long PATIENCE_NANOS = 15 * Nap.SECOND;

    private final Findings findings = new Findings();
    private final AtomicIntegerArray runs = new AtomicIntegerArray(SERIES);
    private final List<Future<?>> futures = new ArrayList<>();
    private final SkippedHandlers skipped = new SkippedHandlers();

    private FullGroupOutOfMemoryChild() {}

    /** Expects the number of spells; ends with 1 if something was wrong. */
    public static void main(String[] args) {
        int exitCode = 1;
        try {
            FullGroupOutOfMemoryChild child = new FullGroupOutOfMemoryChild();
            child.play(Integer.parseInt(args[0]));
            if (child.findings.count() == 0) {
                exitCode = 0;
            } else {
                child.findings.print(System.out);
            }
        } catch (Throwable ex) {
            ex.printStackTrace(System.out);
        } finally {
            System.out.flush();
            // What is wrong may keep threads from ending.
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private void play(int spells) throws InterruptedException {
        Logger.getLogger("io.github.wheelscheduler").addHandler(skipped);
        WheelScheduledExecutor root = WheelScheduledExecutor.builder().build();
        WheelScheduledExecutor group = root.newGroup("full")
                .maxWorkers(2)
                .queueCapacity(0)
                .onFull(OnFull.REJECT)
                .build();
        // Now, so that there is memory for the classes.
        System.out.println("> " + group.snapshot());
        for (int i = 0; i < SERIES; i++) {
            int series = i;
            futures.add(group.scheduleAtFixedRate(
                    () -> runs.incrementAndGet(series),
                    (i + 1) * PERIOD_NANOS / SERIES,
                    PERIOD_NANOS,
                    TimeUnit.NANOSECONDS));
        }
        Nap.nanos(5 * SPELL_NANOS);
        MemoryPressure pressure = new MemoryPressure();
        for (int spell = 0; spell < spells; spell++) {
            pressure.holdFor(SPELL_NANOS);
            Nap.nanos(PAUSE_NANOS);
        }
        boolean[] isEnded = look();
        if (skipped.count.get() > 0) {
            System.out.println(SKIPPED + ", seen " + skipped.count.get() + " times");
        }
        awaitMoreRuns(isEnded);
        for (Future<?> future : futures) {
            boolean ignored = future.cancel(false);
        }
        Ending ending = new Ending(group, findings);
        ending.awaitRest(0);
        awaitPlaces(group);
        root.shutdown();
        if (!root.awaitTermination(PATIENCE_NANOS, TimeUnit.NANOSECONDS)) {
            findings.add("it must terminate", 0, 1, 0);
        }
        System.out.println("> " + spells + " spells, " + group.snapshot());
    }

    /** Returns which series have ended by an error, as a series does whose run fails. */
    private boolean[] look() throws InterruptedException {
        boolean[] isEnded = new boolean[SERIES];
        int ended = 0;
        String last = "";
        for (int i = 0; i < SERIES; i++) {
            isEnded[i] = futures.get(i).isDone();
            if (isEnded[i]) {
                ended++;
                try {
                    Object ignored = futures.get(i).get();
                } catch (ExecutionException ex) {
                    last = String.valueOf(ex.getCause());
                }
            }
        }
        System.out.println("> " + ended + " series have ended by an error " + last);
        return isEnded;
    }

    private void awaitMoreRuns(boolean[] isEnded) {
        int[] before = new int[SERIES];
        for (int i = 0; i < SERIES; i++) {
            before[i] = runs.get(i);
        }
        for (int i = 0; i < SERIES; i++) {
            int series = i;
            if (!isEnded[i] && !Nap.until(() -> runs.get(series) != before[series], PATIENCE_NANOS)) {
                findings.add("a series must go on", i, before[i] + 1, runs.get(i));
                System.out.println("> series " + i + " is " + futures.get(i));
            }
        }
    }

    /** All can be taken, once what was cancelled in the ready queue has left it. */
    private void awaitPlaces(WheelScheduledExecutor group) {
        AtomicInteger arrived = new AtomicInteger();
        boolean[] isOver = new boolean[1];
        Runnable arrival = () -> {
            arrived.incrementAndGet();
            boolean ignored = Nap.until(() -> isOver[0], PATIENCE_NANOS);
        };
        for (int i = 0; i < 2; i++) {
            if (!Nap.until(() -> isAccepted(group, arrival), PATIENCE_NANOS)) {
                findings.add("a place must be free", i, 0, 1);
            }
        }
        boolean ignored = Nap.until(() -> arrived.get() == 2, PATIENCE_NANOS);
        isOver[0] = true;
        if (arrived.get() != 2) {
            findings.add("both places must be free at rest", 0, 2, arrived.get());
        }
    }

    private static boolean isAccepted(WheelScheduledExecutor group, Runnable run) {
        try {
            group.execute(run);
            return true;
        } catch (RejectedExecutionException ex) {
            return false;
        }
    }

    /** Looks for such errors, as far as there is memory to log them; without memory of its own. */
    private static final class SkippedHandlers extends Handler {

        final AtomicInteger count = new AtomicInteger();

        @Override
        public void publish(LogRecord logged) {
            for (Throwable each = thrown(logged); each != null; each = each.getCause()) {
                String message = each.getMessage();
                if (message != null && message.contains(MESSAGE)) {
                    count.incrementAndGet();
                }
            }
        }

        private static @Nullable Throwable thrown(LogRecord logged) {
            return logged.getThrown();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
