package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.keyed.KeyedTimerCounts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The main class of a JVM whose small heap is full for five spells, in each of some rounds, while two threads set,
 * move, remove and drain keys: each entry must end once, every handler must run that was to, and everything must
 * terminate.
 */
public final class KeyedOutOfMemoryChild {

    private static final int SPELLS = 5;
    private static final long SPELL_NANOS = 200 * Nap.MILLI;
    private static final long PAUSE_NANOS = 50 * Nap.MILLI;
    private static final int KEYS = 200;
    private static final int VALUES = 100_000;
    private static final int MOST_MILLIS = 20;

    private final WorkerKind kind;
    private final SplittableRandom random;
    private final Findings findings = new Findings();

    // Made before there is no memory.
    private final Integer[] keys = new Integer[KEYS];
    private final Integer[] values = new Integer[VALUES];
    private final Duration[] delays = new Duration[MOST_MILLIS];

    private KeyedOutOfMemoryChild(WorkerKind kind, long seed) {
        this.kind = kind;
        this.random = new SplittableRandom(seed);
        for (int i = 0; i < VALUES; i++) {
            values[i] = i;
        }
        System.arraycopy(values, 0, keys, 0, KEYS);
        for (int i = 0; i < MOST_MILLIS; i++) {
            delays[i] = Duration.ofMillis(i);
        }
    }

    /** Expects the kind of workers, the number of rounds, and a seed; ends with 1 if something was wrong. */
    public static void main(String[] args) {
        int exitCode = 1;
        try {
            KeyedOutOfMemoryChild child =
                    new KeyedOutOfMemoryChild(WorkerKind.valueOf(args[0]), Long.parseLong(args[2]));
            System.out.println("> memory runs out for keys on " + args[0] + ", seed " + args[2]);
            // First with memory: a class of the JDK that is set up without any can never be used again.
            child.new Round().play(0, 0);
            for (int round = 1; round <= Integer.parseInt(args[1]); round++) {
                child.new Round().play(round, SPELLS);
            }
            if (child.findings.count() == 0) {
                exitCode = 0;
            } else {
                child.findings.print(System.out);
            }
        } catch (Throwable ex) {
            ex.printStackTrace(System.out);
        } finally {
            System.out.flush();
            // A failure may keep threads from ending.
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private final class Round {

        // Threads of the platform: virtual ones that wait have been seen not to go on after memory ran out.
        private final WheelScheduledExecutor executor = (kind == WorkerKind.THREAD_PER_RUN
                        ? WheelScheduledExecutor.builder().threadPerRun(Thread::new)
                        : kind.applyTo(WheelScheduledExecutor.builder()))
                .build();
        private final KeyedTimers<Integer, Integer> timers =
                KeyedTimers.<Integer, Integer>builder(executor, this::handle).build();

        /** By value: how often it has been handled, or handed out by a verb. */
        private final AtomicIntegerArray ends = new AtomicIntegerArray(VALUES);

        /** By value: 1 if it has been accepted. */
        private final AtomicIntegerArray accepted = new AtomicIntegerArray(VALUES);

        private final AtomicInteger nextValue = new AtomicInteger();
        private final AtomicLong handled = new AtomicLong();
        private final AtomicLong errors = new AtomicLong();
        private volatile boolean isOver;

        private void handle(Integer key, Integer value) {
            ends.incrementAndGet(value);
            handled.incrementAndGet();
        }

        void play(int round, int spells) throws InterruptedException {
            int before = findings.count();
            Thread[] callers = {newCaller(random.split()), newCaller(random.split())};
            for (Thread caller : callers) {
                caller.start();
            }
            Nap.nanos(SPELL_NANOS);
            MemoryPressure pressure = new MemoryPressure();
            for (int spell = 0; spell < spells; spell++) {
                pressure.holdFor(SPELL_NANOS);
                Nap.nanos(PAUSE_NANOS);
                Progress.print("memory is free again");
            }
            isOver = true;
            for (Thread caller : callers) {
                caller.join();
            }
            check();
            System.out.println("> round " + round + ": " + timers.counts() + ", " + errors + " errors told, "
                    + (findings.count() == before ? "all well" : "WRONG, " + timers + ", " + executor));
        }

        private Thread newCaller(SplittableRandom own) {
            return new Thread(() -> {
                while (!isOver) {
                    try {
                        operate(own);
                    } catch (OutOfMemoryError ex) {
                        errors.incrementAndGet();
                    }
                }
            });
        }

        private void operate(SplittableRandom own) {
            Integer key = keys[own.nextInt(KEYS)];
            Duration delay = delays[own.nextInt(MOST_MILLIS)];
            int dice = own.nextInt(1_000);
            if (dice < 500) {
                set(key, delay);
            } else if (dice < 750) {
                boolean ignored = timers.move(key, delay);
            } else if (dice < 999) {
                ended(timers.remove(key));
            } else {
                long ignored = timers.drain((drainedKey, value) -> ended(value));
            }
            if ((dice & 15) == 0) {
                Nap.nanos(Nap.MILLI / 10);
            }
        }

        private void set(Integer key, Duration delay) {
            int value = nextValue.getAndIncrement();
            if (value < VALUES) {
                Integer replaced = timers.set(key, values[value], delay);
                accepted.set(value, 1);
                ended(replaced);
            }
        }

        private void ended(Integer value) {
            if (value != null) {
                ends.incrementAndGet(value);
            }
        }

        private void check() {
            if (!Nap.until(() -> timers.size() == 0, 30 * Nap.SECOND)) {
                findings.add("what is due must be handled", 0, 0, timers.size());
            }
            timers.close();
            KeyedTimerCounts counts = timers.counts();
            long ended = counts.fired() + counts.removed() + counts.replaced() + counts.drained() + counts.closed();
            expect("each entry must end once", counts.set(), ended);
            expect("each that was fired must be handled", counts.fired(), handled.get());
            expect("no handler must fail", 0, counts.failures());
            long lost = 0;
            for (int value = 0; value < VALUES; value++) {
                if (ends.get(value) > 1) {
                    findings.add("no value must end twice", value, 1, ends.get(value));
                }
                lost += accepted.get(value) == 1 && ends.get(value) == 0 ? 1 : 0;
            }
            // A caller that is told of an error is not told what has become of its call.
            if (lost > errors.get()) {
                findings.add("values must not get lost", 0, errors.get(), lost);
            }
            executor.shutdown();
            if (!Nap.until(executor::isTerminated, 30 * Nap.SECOND)) {
                findings.add("the executor must terminate", 0, 0, executor.pendingCount());
            }
        }

        private void expect(String rule, long expected, long seen) {
            if (expected != seen) {
                findings.add(rule, 0, expected, seen);
            }
        }
    }
}
