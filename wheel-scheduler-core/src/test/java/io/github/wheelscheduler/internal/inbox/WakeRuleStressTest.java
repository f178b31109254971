package io.github.wheelscheduler.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several posters against an owner that sleeps without a limit: a wake-up that is lost stops the test, which a watchdog
 * notices.
 *
 * <p>The owner announces times of a made-up clock that stands still. A message that is due before them must wake it,
 * one that is due later need not; so a poster ends each of its batches with a message that must, and waits until the
 * owner has seen it. Nothing else ever wakes the owner.
 */
class WakeRuleStressTest {

    private static final long ANNOUNCED = 1_000;
    private static final long PATIENCE_SECONDS = 30;

    /** How long it is played at most: on a busy machine, a batch may take a time slice. */
    private static final long PLAYING_NANOS = TimeUnit.SECONDS.toNanos(Scale.of(20, 3_000));

    private static final long STOP = -1;

    @ParameterizedTest
    @CsvSource({"1, 40000", "2, 30000", "4, 10000"})
    void noMessageThatMustWakeTheOwnerIsMissed(int posters, int rounds) {
        Seed.play(random -> {
            long sleeps = new Race(posters, random).run(rounds / posters * Scale.of(1, 5, 50), 10);
            assertThat(sleeps).as("sleeps").isPositive();
        });
    }

    /**
     * Batches are about as long as a chunk of the queue, so that their last message is often the first of a new chunk.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void noWakeUpIsMissedAtTheBordersOfTheChunks(int posters) {
        Seed.play(random -> {
            int batches = Scale.of(3_000, 9_000, 300_000) / posters;
            long sleeps = new Race(posters, random).run(batches, 1_030);
            assertThat(sleeps).as("sleeps").isPositive();
        });
    }

    /** One owner and its posters. */
    private static final class Race {

        private final Inbox<Message> inbox = new Inbox<>();
        private final SplittableRandom random;
        private final List<Poster> posters = new ArrayList<>();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicLong sleeps = new AtomicLong();
        private final CountDownLatch ended = new CountDownLatch(1);

        Race(int count, SplittableRandom random) {
            this.random = random;
            for (int i = 0; i < count; i++) {
                posters.add(new Poster(random.split()));
            }
        }

        long run(int batches, int longestBatch) throws InterruptedException {
            Thread owner = start("owner", () -> own(random.split()));
            List<Thread> threads = new ArrayList<>();
            for (Poster poster : posters) {
                threads.add(start("poster", () -> poster.postBatches(batches, longestBatch)));
            }
            boolean hasEnded = ended.await(Scale.of(120, 3_600), TimeUnit.SECONDS);
            String state = "empty " + inbox.isEmpty() + ", sleep announced " + inbox.isSleepAnnounced();
            threads.forEach(Thread::interrupt);
            owner.interrupt();
            assertThat(failure.get()).as(state).isNull();
            assertThat(hasEnded).as("must end: " + state).isTrue();
            return sleeps.get();
        }

        private Thread start(String name, Runnable body) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            body.run();
                        } catch (Throwable ex) {
                            failure.compareAndSet(null, ex);
                            ended.countDown();
                        }
                    },
                    name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        /** Drains, announces and parks as the tick thread does, but without ever waking up by itself. */
        private void own(SplittableRandom own) {
            inbox.ownedBy(Thread.currentThread());
            int[] running = {posters.size()};
            int idle = 0;
            while (running[0] > 0) {
                int drained = inbox.drain(
                        message -> {
                            if (message.number == STOP) {
                                running[0]--;
                            } else {
                                message.poster.see(message.number);
                            }
                        },
                        own.nextInt(4) == 0 ? 3 : 1_024);
                idle = drained > 0 ? own.nextInt(400) : idle - 1;
                // Looks a few times more, so that most rounds are cheap and hit the announcement, not the sleep.
                if (idle < 0 && inbox.announce(ANNOUNCED)) {
                    sleeps.incrementAndGet();
                    while (inbox.isSleepAnnounced()) {
                        LockSupport.park(this);
                        if (Thread.currentThread().isInterrupted()) {
                            throw new AssertionError("gave up");
                        }
                    }
                    inbox.awake();
                }
            }
            ended.countDown();
        }

        private record Message(Poster poster, long number) {}

        private final class Poster {

            private final SplittableRandom own;
            private long posted;
            private long next;

            /** Writer: the owner. */
            private final AtomicLong seen = new AtomicLong();

            Poster(SplittableRandom own) {
                this.own = own;
            }

            void see(long number) {
                if (number != ++next) {
                    throw new AssertionError("must see message " + next + " next, saw " + number);
                }
                seen.setRelease(number);
            }

            void postBatches(int batches, int longestBatch) {
                long begun = System.nanoTime();
                for (int i = 0; i < batches && System.nanoTime() - begun < PLAYING_NANOS; i++) {
                    for (int later = own.nextInt(longestBatch); later > 0; later--) {
                        inbox.post(new Message(this, ++posted), ANNOUNCED + own.nextInt(2));
                    }
                    Message urgent = new Message(this, ++posted);
                    inbox.post(urgent, ANNOUNCED - 1 - own.nextInt(1_000));
                    awaitSeen();
                    spin(own.nextInt(60));
                }
                inbox.post(new Message(this, STOP), 0);
            }

            private void awaitSeen() {
                long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
                for (int spins = 0; seen.getAcquire() < posted; spins++) {
                    if (spins < 200) {
                        Thread.onSpinWait();
                    } else {
                        LockSupport.parkNanos(this, 1_000);
                        if (System.nanoTime() - giveUpNanos > 0) {
                            throw new AssertionError(
                                    "wake-up lost: message " + posted + " was posted and " + seen.get() + " was seen");
                        }
                    }
                }
            }

            private static void spin(int times) {
                for (int i = 0; i < times; i++) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
