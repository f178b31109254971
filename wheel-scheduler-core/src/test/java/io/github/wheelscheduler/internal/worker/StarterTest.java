package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.worker.ElasticPool.ThreadPolicy;
import io.github.wheelscheduler.testing.LogCapture;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The thread that starts workers: it comes when a pool asks, sleeps while nothing is wanted, and tells its end. */
class StarterTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final AtomicInteger failuresOfTheEnd = new AtomicInteger();
    private final AtomicInteger wanted = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final List<Thread> workers = new CopyOnWriteArrayList<>();

    /** Whether the starter had a deputy when that was looked at. */
    private final List<Boolean> deputies = new CopyOnWriteArrayList<>();

    /** Runs on the starter's thread; what it throws, the start of the worker does. */
    private volatile Runnable beforeStart = () -> {};

    private final Starter starter = new Starter(wanted::incrementAndGet, () -> {
        if (failuresOfTheEnd.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("on purpose");
        }
        ended.incrementAndGet();
    });

    private final ElasticPool pool = new ElasticPool(
            ThreadPolicy.ON_DEMAND,
            task -> {
                Thread thread = new Thread(task) {
                    @Override
                    public synchronized void start() {
                        beforeStart.run();
                        super.start();
                    }
                };
                thread.setDaemon(true);
                workers.add(thread);
                return thread;
            },
            starter,
            1,
            LONG,
            System::nanoTime,
            new RecordingListener(),
            null);

    @AfterEach
    void stop() {
        assertThat(pool.stopNow()).isNotNull();
        starter.stop();
        awaitThat(starter::hasEnded);
        log.close();
    }

    private void ask() {
        pool.handOver(ran::incrementAndGet, 0);
        pool.signalHandOver(false);
    }

    @Test
    void threadComesWhenAPoolAsks() {
        assertThat(starter.isThreadLacking()).isFalse();
        assertThat(starter.startThread(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(starter.hasEnded()).isTrue();
        starter.stop();
        assertThat(ended).hasValue(0);
        assertThat(wanted).hasValue(0);
    }

    @Test
    void threadComesOnceSleepsAndEndsOnce() {
        ask();
        assertThat(wanted).hasValue(1);
        assertThat(starter.isThreadWanted()).isTrue();
        assertThat(starter.startThread(0)).isEqualTo(Long.MAX_VALUE);
        Thread thread = starter.thread;
        assertThat(thread).isNotNull();
        assertThat(starter.isThreadLacking()).isFalse();
        awaitThat(() -> ran.get() == 1);
        assertThat(starter.startThread(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(starter.thread).isSameAs(thread);
        assertThat(wanted).hasValue(1);
        awaitThat(() -> thread.getState() == Thread.State.WAITING);
        // No code has reason to, and it stays asleep.
        thread.interrupt();
        awaitThat(() -> !thread.isInterrupted() && thread.getState() == Thread.State.WAITING);
        failuresOfTheEnd.set(3);
        starter.stop();
        awaitThat(() -> ended.get() > 0 && !thread.isAlive());
        assertThat(ended).hasValue(1);
        assertThat(starter.hasEnded()).isTrue();
        ask();
        assertThat(starter.startThread(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(starter.thread).isNull();
    }

    @Test
    void failedStartIsTriedAgainEverLaterAndLoggedOnce() throws InterruptedException {
        ask();
        TickThreadOfATest tick = new TickThreadOfATest(() -> {
            long now = -5 * MILLI;
            for (long pause = 1; pause < 100; pause *= 2) {
                assertThat(starter.startThread(now)).isEqualTo(pause * MILLI);
                assertThat(starter.isThreadWanted()).isFalse();
                assertThat(starter.isThreadLacking()).isTrue();
                now += pause * MILLI - 1;
                assertThat(starter.startThread(now)).isEqualTo(1);
                now++;
            }
            assertThat(starter.startThread(now)).isEqualTo(100 * MILLI);
            now += 100 * MILLI;
            assertThat(starter.startThread(now)).isEqualTo(100 * MILLI);
            assertThat(starter.hasEnded()).isTrue();
            TickThreadOfATest.isFailing = false;
            assertThat(starter.startThread(now)).isEqualTo(100 * MILLI);
            assertThat(starter.startThread(now + 100 * MILLI)).isEqualTo(Long.MAX_VALUE);
        });
        TickThreadOfATest.isFailing = true;
        tick.play();
        awaitThat(() -> ran.get() == 1);
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("thread that starts workers could not be started")
                .contains("due tasks may wait for a worker until a retry succeeds");
    }

    @Test
    void deputyTakesNotTheOnlyThreadThatAWorkerMightHave() throws InterruptedException {
        // Room for the tick thread, the starter, and one more.
        beforeStart = () -> {
            if (lookForDeputy()) {
                throw new OutOfMemoryError("on purpose: unable to create native thread");
            }
        };
        startInPlaceOfTickThread();
        awaitThat(() -> ran.get() == 1);
        assertThat(deputies).startsWith(true).endsWith(false);
        assertThat(log.messages()).singleElement().asString().contains("No worker could be started");
    }

    /** The next call of such a factory may take long. */
    @Test
    void deputyReturnsAfterAnotherKindOfFailure() throws InterruptedException {
        beforeStart = () -> {
            if (lookForDeputy() && deputies.size() == 1) {
                throw new IllegalStateException("on purpose");
            }
        };
        startInPlaceOfTickThread();
        awaitThat(() -> ran.get() == 1);
        assertThat(deputies).containsExactly(true, true);
    }

    private void startInPlaceOfTickThread() throws InterruptedException {
        ask();
        TickThreadOfATest tick =
                new TickThreadOfATest(() -> assertThat(starter.startThread(0)).isEqualTo(Long.MAX_VALUE));
        tick.setName("deputy-tick");
        tick.play();
    }

    /** Notes whether this thread, which is the starter, has a deputy. */
    private boolean lookForDeputy() {
        Thread own = Thread.currentThread();
        Thread[] threads = new Thread[10];
        int count = own.getThreadGroup().enumerate(threads);
        boolean isThere = Arrays.stream(threads, 0, count)
                .anyMatch(thread -> thread != own && thread.getName().startsWith("deputy-starter"));
        deputies.add(isThere);
        return isThere;
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // it is what is looked at
    void threadIsLikeTheOneThatStartsItButForItsName() throws Exception {
        ask();
        List<Thread> made = new ArrayList<>();
        try (URLClassLoader loader = new URLClassLoader(new URL[0], null)) {
            TickThreadOfATest tick = new TickThreadOfATest(() -> {
                assertThat(starter.startThread(0)).isEqualTo(Long.MAX_VALUE);
                made.add(starter.thread);
                // Before this one ends, and on JDK 17 its group with it.
                awaitThat(() -> !workers.isEmpty());
            });
            tick.setName("named-tick");
            tick.setDaemon(true);
            tick.setPriority(Thread.MAX_PRIORITY);
            tick.setContextClassLoader(loader);
            tick.play();
            assertThat(made.get(0).getName()).isEqualTo("named-starter");
            assertThat(made.get(0).isDaemon()).isTrue();
            assertThat(made.get(0).getPriority()).isEqualTo(Thread.MAX_PRIORITY);
            assertThat(made.get(0).getContextClassLoader()).isSameAs(loader);
            assertThat(made.get(0).getThreadGroup().getName()).isEqualTo("group of the test");
        }
    }

    /** Plays the tick thread; a thread that is to be like it cannot be made while it is failing. */
    private static final class TickThreadOfATest extends Thread {

        static volatile boolean isFailing;

        private final List<Throwable> failures = new CopyOnWriteArrayList<>();

        TickThreadOfATest(Runnable code) {
            super(new ThreadGroup("group of the test"), code);
        }

        @Override
        public void run() {
            try {
                super.run();
            } catch (Throwable ex) {
                failures.add(ex);
            }
        }

        void play() throws InterruptedException {
            start();
            join();
            assertThat(failures).isEmpty();
        }

        @Override
        public ClassLoader getContextClassLoader() {
            if (isFailing && currentThread() == this) {
                throw new OutOfMemoryError("on purpose: unable to create native thread");
            }
            return super.getContextClassLoader();
        }
    }
}
