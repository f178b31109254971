package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Due runs come out once, in the order in which they went in, however many there are. */
class ReadyQueueTest {

    private static final int RING = 8;

    private final ReadyQueue queue = new ReadyQueue(RING);

    private void add(int from, int to) {
        IntStream.range(from, to).forEach(number -> queue.add(new Numbered(number), timeOf(number)));
    }

    /** Each run has a time of its own, so that a wrong one shows. */
    private static long timeOf(int number) {
        return 1_000_000L + 7L * number;
    }

    private List<Integer> take(int count) {
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ReadyQueue.Taken told = new ReadyQueue.Taken();
            Runnable run = queue.poll(told);
            taken.add(run == null ? -1 : ((Numbered) run).number());
            assertThat(told.expiredNanos).isEqualTo(run == null ? 0 : timeOf(((Numbered) run).number()));
        }
        return taken;
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @Test
    void emptyQueueGivesNothing() {
        assertThat(queue.poll(new ReadyQueue.Taken())).isNull();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.size()).isZero();
    }

    @Test
    void orderIsKeptWhileAndAfterTheRingOverflows() {
        for (int round = 0; round < 5; round++) {
            add(0, 3 * RING);
            assertThat(queue.size()).isEqualTo(3 * RING);
            assertThat(take(RING / 2)).isEqualTo(numbers(0, RING / 2));
            // The ring has room, but others wait behind it.
            add(3 * RING, 3 * RING + 5);
            assertThat(take(3 * RING + 5 - RING / 2)).isEqualTo(numbers(RING / 2, 3 * RING + 5));
            assertThat(queue.isEmpty()).isTrue();
        }
        assertThat(queue.addedSoFar()).isEqualTo(5 * (3 * RING + 5));
        assertThat(queue.takenSoFar()).isEqualTo(queue.addedSoFar());
    }

    @Test
    void othersAddOnlyWhileAQuarterOfTheRingIsFree() {
        int accepted = 0;
        while (queue.offer(new Numbered(accepted), timeOf(accepted))) {
            accepted++;
        }
        assertThat(accepted).isEqualTo(RING * 3 / 4);
        add(accepted, RING + 1);
        assertThat(take(RING)).isEqualTo(numbers(0, RING));
        // The ring is empty, but a run waits behind it.
        assertThat(queue.offer(new Numbered(100), timeOf(100))).isFalse();
        assertThat(take(1)).containsExactly(RING);
        assertThat(queue.offer(new Numbered(100), timeOf(100))).isTrue();
        assertThat(queue.addedSoFar()).isEqualTo(RING + 2);
        assertThat(queue.takenSoFar()).isEqualTo(RING + 1);
        assertThat(queue.hasNext()).isTrue();
        assertThat(take(2)).containsExactly(100, -1);
        assertThat(queue.hasNext()).isFalse();
    }

    @Test
    void runsInTheRingAndBehindItAreSeenAndTakenTogether() {
        add(0, 20);
        List<Integer> seen = new ArrayList<>();
        queue.forEach(run -> seen.add(((Numbered) run).number()));
        assertThat(seen).containsExactlyInAnyOrderElementsOf(numbers(0, 20));
        assertThat(queue.pollAll()).hasSize(20).last().isEqualTo(new Numbered(19));
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void firstRunKnowsItsWaitInAndBehindTheRing() {
        assertThat(queue.oldestNanos(timeOf(0))).isZero();
        add(0, RING + 3);
        for (int first = 0; first < RING + 3; first++) {
            assertThat(queue.oldestNanos(timeOf(first) + 50)).isEqualTo(50);
            assertThat(queue.oldestNanos(timeOf(first) - 50)).isZero();
            assertThat(take(1)).containsExactly(first);
        }
        assertThat(queue.oldestNanos(timeOf(0))).isZero();
    }

    @Test
    void roomIsTheFreeRingUnlessOthersWaitBehindIt() {
        assertThat(queue.room()).isEqualTo(RING);
        add(0, 3);
        assertThat(queue.room()).isEqualTo(RING - 3);
        add(3, RING);
        assertThat(queue.room()).isZero();
        assertThat(take(2)).containsExactly(0, 1);
        assertThat(queue.room()).isEqualTo(2);
        add(RING, RING + 3);
        assertThat(queue.room()).isZero();
        assertThat(queue.pollAll()).hasSize(RING + 1);
        assertThat(queue.room()).isEqualTo(RING);
    }

    @Test
    void runsAreTakenOnceAndThoseOfOneThreadInOrder() throws InterruptedException {
        int adders = 3;
        int count = Scale.of(100_000, 3_000_000);
        AtomicIntegerArray times = new AtomicIntegerArray(adders * count);
        AtomicIntegerArray addersLeft = new AtomicIntegerArray(new int[] {adders});
        Queue<String> disorder = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < adders; i++) {
            int first = i * count;
            boolean always = i == 0;
            threads.add(new Thread(() -> {
                for (int number = first; number < first + count; number++) {
                    Numbered run = new Numbered(number);
                    if (always) {
                        queue.add(run, timeOf(number));
                    } else {
                        while (!queue.offer(run, timeOf(number))) {
                            Thread.onSpinWait();
                        }
                    }
                }
                int ignored = addersLeft.decrementAndGet(0);
            }));
        }
        for (int i = 0; i < 2; i++) {
            threads.add(new Thread(() -> takeAllOf(adders, count, times, addersLeft, disorder)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            awaitThat(() -> !thread.isAlive());
        }
        assertThat(IntStream.range(0, adders * count).filter(number -> times.get(number) != 1))
                .isEmpty();
        assertThat(disorder).isEmpty();
        assertThat(queue.isEmpty()).isTrue();
    }

    private void takeAllOf(
            int adders, int count, AtomicIntegerArray times, AtomicIntegerArray addersLeft, Queue<String> disorder) {
        int[] last = new int[adders];
        Arrays.fill(last, -1);
        ReadyQueue.Taken told = new ReadyQueue.Taken();
        while (true) {
            boolean wasComplete = addersLeft.get(0) == 0;
            Numbered next = (@Nullable Numbered) queue.poll(told);
            if (next == null) {
                if (wasComplete && queue.isEmpty()) {
                    return;
                }
                Thread.onSpinWait();
                continue;
            }
            int ignored = times.incrementAndGet(next.number());
            int adder = next.number() / count;
            if (next.number() <= last[adder] || told.expiredNanos != timeOf(next.number())) {
                disorder.add(next.number() + " after " + last[adder] + " with the time " + told.expiredNanos);
            }
            last[adder] = next.number();
        }
    }

    @Test
    void everyRunIsTakenOnceAndOneTakerSeesThemInOrder() throws InterruptedException {
        int count = Scale.of(300_000, 10_000_000);
        AtomicIntegerArray times = new AtomicIntegerArray(count);
        AtomicBoolean allAdded = new AtomicBoolean();
        Queue<String> disorder = new ConcurrentLinkedQueue<>();
        List<Thread> takers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread taker = new Thread(() -> takeAll(times, allAdded, disorder));
            taker.start();
            takers.add(taker);
        }
        for (int number = 0; number < count; number++) {
            queue.add(new Numbered(number), timeOf(number));
        }
        allAdded.set(true);
        for (Thread taker : takers) {
            awaitThat(() -> !taker.isAlive());
        }
        assertThat(IntStream.range(0, count).filter(number -> times.get(number) != 1))
                .isEmpty();
        assertThat(disorder).isEmpty();
        assertThat(queue.size()).isZero();
    }

    private void takeAll(AtomicIntegerArray times, AtomicBoolean allAdded, Queue<String> disorder) {
        int last = -1;
        ReadyQueue.Taken told = new ReadyQueue.Taken();
        while (true) {
            boolean wasComplete = allAdded.get();
            Numbered next = (@Nullable Numbered) queue.poll(told);
            if (next == null) {
                if (wasComplete) {
                    return;
                }
                Thread.onSpinWait();
                continue;
            }
            times.incrementAndGet(next.number());
            if (told.expiredNanos != timeOf(next.number())) {
                disorder.add(next.number() + " came with the time " + told.expiredNanos);
            }
            if (next.number() <= last) {
                disorder.add(next.number() + " after " + last);
            }
            last = next.number();
        }
    }

    private record Numbered(int number) implements Runnable {
        @Override
        public void run() {}
    }
}
