package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.worker.ElasticPool.ThreadPolicy;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** An elastic pool whose tick thread is the test, which also has its clock, its threads and its starter in hand. */
abstract class ElasticPoolFixture {

    static final long LONG = TimeUnit.HOURS.toNanos(1);
    static final long SHORT = TimeUnit.MILLISECONDS.toNanos(1);

    final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    final RecordingListener listener = new RecordingListener();
    final AtomicInteger ran = new AtomicInteger();

    /** The threads of workers that were made, and who asked for each. */
    final List<Thread> threads = new CopyOnWriteArrayList<>();

    final List<Thread> askers = new CopyOnWriteArrayList<>();

    /** Whether threads cannot be made, and how often that has been so. */
    volatile boolean startsFail;

    final AtomicInteger failedStarts = new AtomicInteger();

    volatile LongSupplier clock = System::nanoTime;

    private final List<Gate> gates = new ArrayList<>();
    final Starter starter = new Starter(this::startStarter, () -> {});
    private boolean isStarterKeptOut;
    private @Nullable ElasticPool pool;

    static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    /** Does what the tick thread would. */
    private synchronized void startStarter() {
        if (!isStarterKeptOut) {
            assertThat(starter.startThread(System.nanoTime())).isEqualTo(Long.MAX_VALUE);
        }
    }

    /** Lets the starter do nothing. To be called before the pool is started. */
    final synchronized void keepStarterOut() {
        isStarterKeptOut = true;
    }

    /** Makes the threads of workers, unless {@link #startsFail}. */
    final Thread worker(Runnable task) {
        askers.add(Thread.currentThread());
        if (startsFail) {
            failedStarts.incrementAndGet();
            throw new OutOfMemoryError("on purpose");
        }
        Thread thread = daemon(task);
        threads.add(thread);
        return thread;
    }

    /** Returns a pool that has no worker. */
    final ElasticPool create(ThreadFactory factory, int maxSize, long keepAliveNanos, @Nullable RunHooks hooks) {
        ElasticPool created = new ElasticPool(
                ThreadPolicy.KEEP_SOME,
                factory,
                starter,
                maxSize,
                keepAliveNanos,
                () -> clock.getAsLong(),
                listener,
                hooks);
        pool = created;
        return created;
    }

    final ElasticPool start(ThreadFactory factory, int maxSize, long keepAliveNanos) {
        ElasticPool started = create(factory, maxSize, keepAliveNanos, null);
        started.startIfShort(true);
        return started;
    }

    final ElasticPool start(int maxSize, long keepAliveNanos) {
        return start(this::worker, maxSize, keepAliveNanos);
    }

    final ElasticPool startOnDemand(ThreadFactory factory, int maxSize, long keepAliveNanos, boolean oneRunEach) {
        ElasticPool started = new ElasticPool(
                oneRunEach ? ThreadPolicy.PER_RUN : ThreadPolicy.ON_DEMAND,
                factory,
                starter,
                maxSize,
                keepAliveNanos,
                () -> clock.getAsLong(),
                listener,
                null);
        pool = started;
        return started;
    }

    final ElasticPool startOnDemand(int maxSize, long keepAliveNanos, boolean oneRunEach) {
        return startOnDemand(this::worker, maxSize, keepAliveNanos, oneRunEach);
    }

    /** Forgets the pool, which the test has stopped. */
    final void forget() {
        pool = null;
    }

    @AfterEach
    final void stop() {
        gates.forEach(Gate::open);
        ElasticPool started = pool;
        if (started != null) {
            assertThat(started.stopNow()).isNotNull();
            awaitThat(started::hasEnded);
        }
        starter.stop();
        awaitThat(starter::hasEnded);
        log.close();
    }

    /** Returns a gate that opens when the test is over, at the latest. */
    final Gate newGate() {
        Gate gate = new Gate();
        gates.add(gate);
        return gate;
    }

    /** Hands over a gate. */
    final Gate gate(ElasticPool workers) {
        Gate gate = newGate();
        handOver(workers, gate);
        return gate;
    }

    static void handOver(ElasticPool workers, Runnable run) {
        workers.handOver(run, 0);
        workers.signalHandOver(false);
    }

    /**
     * Has so many runs go on at the same time, so that there are as many workers if the limit allows, and waits until
     * all are idle.
     */
    final void growTo(int workersAtATime, ElasticPool workers) {
        List<Gate> all = new ArrayList<>();
        for (int i = 0; i < workersAtATime; i++) {
            all.add(gate(workers));
        }
        all.forEach(gate -> gate.awaitArrivals(1));
        all.forEach(Gate::open);
        awaitIdle(workers);
    }

    final void run(ElasticPool workers) {
        int before = ran.get();
        handOver(workers, ran::incrementAndGet);
        awaitThat(() -> ran.get() == before + 1);
    }

    static void awaitIdle(ElasticPool workers) {
        awaitThat(() -> workers.awakeCount() == 0 && !workers.isActive());
    }

    /** Waits until nothing holds what they refer to. */
    static void awaitCollected(List<? extends WeakReference<?>> references) {
        awaitThat(() -> {
            System.gc();
            return references.stream().allMatch(reference -> reference.get() == null);
        });
    }
}
