package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitLatch;
import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static io.github.wheelscheduler.netty.Patience.awaitTime;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The promises that a {@link Timer} keeps to its users if it runs one task at a time. */
abstract class OrderedTimerContract extends TimerContract {

    private final List<Integer> order = Collections.synchronizedList(new ArrayList<>());

    private TimerTask note(int number) {
        return timeout -> order.add(number);
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void runsOneTaskAtATime() throws Exception {
        Timer timer = newTimer();
        int callers = 3;
        int each = 150;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch ran = new CountDownLatch(callers * each);
        TimerTask task = timeout -> {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            inside.decrementAndGet();
            ran.countDown();
        };
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Thread thread = new Thread(() -> {
                for (int j = 0; j < each; j++) {
                    timer.newTimeout(task, j % 4, MILLISECONDS);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        awaitLatch(ran);
        assertThat(most).hasValue(1);
    }

    @Test
    void runsInTheOrderOfDeadlines() {
        Timer timer = newTimer();
        Gate gate = new Gate();
        timer.newTimeout(gate, 0, MILLISECONDS);
        gate.awaitArrival();
        for (int i : new int[] {4, 1, 3, 5, 2}) {
            timer.newTimeout(note(i), 20L * i, MILLISECONDS);
        }
        awaitTime(Duration.ofMillis(50));
        gate.open();
        awaitThat(() -> order.size() == 5);
        assertThat(order).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void runsWhatIsAskedForAtOneTimeInTheOrderInWhichItWas() {
        Timer timer = newTimer();
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            timer.newTimeout(note(i), 10, MILLISECONDS);
        }
        awaitThat(() -> order.size() == count);
        assertThat(order).containsExactlyElementsOf(numbers(count));
    }

    /** A timeout that is overdue when it is asked for is due now, and no sooner. */
    long noDelay(int number) {
        return -(number % 2);
    }

    @Test
    void runsWhatHasNoDelayInTheOrderInWhichItWasAskedFor() {
        Timer timer = newTimer();
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            timer.newTimeout(note(i), noDelay(i), MILLISECONDS);
        }
        awaitThat(() -> order.size() == count);
        assertThat(order).containsExactlyElementsOf(numbers(count));
    }

    @Test
    void timeoutWithoutDelayDoesNotOvertakeADueOne() {
        Timer timer = newTimer();
        Gate gate = new Gate();
        timer.newTimeout(gate, 0, MILLISECONDS);
        gate.awaitArrival();
        int count = 200;
        for (int i = 0; i < count; i++) {
            timer.newTimeout(note(i), 10, MILLISECONDS);
        }
        awaitTime(Duration.ofMillis(30));
        timer.newTimeout(note(count), 0, MILLISECONDS);
        gate.open();
        awaitThat(() -> order.size() == count + 1);
        assertThat(order).containsExactlyElementsOf(numbers(count + 1));
    }

    /** A timeout that is due may still be on its way to where tasks run. */
    @Test
    void timeoutWithoutDelayDoesNotOvertakeOneJustDue() {
        Timer timer = newTimer();
        int rounds = 200;
        for (int i = 0; i < rounds; i++) {
            timer.newTimeout(note(2 * i), 100, MICROSECONDS);
            long dueNanos = System.nanoTime() + MICROSECONDS.toNanos(100);
            while (System.nanoTime() - dueNanos < 0) {
                Thread.onSpinWait();
            }
            timer.newTimeout(note(2 * i + 1), 0, MICROSECONDS);
        }
        awaitThat(() -> order.size() == 2 * rounds);
        assertThat(order).isEqualTo(numbers(2 * rounds));
    }

    @Test
    void taskThatAsksForNoDelayLetsThoseGoFirstThatAreDue() {
        Timer timer = newTimer();
        Gate gate = new Gate();
        timer.newTimeout(
                timeout -> {
                    gate.run(timeout);
                    timer.newTimeout(note(2), 0, MILLISECONDS);
                },
                0,
                MILLISECONDS);
        gate.awaitArrival();
        timer.newTimeout(note(1), 5, MILLISECONDS);
        awaitTime(Duration.ofMillis(20));
        gate.open();
        awaitThat(() -> order.size() == 2);
        assertThat(order).containsExactly(1, 2);
    }
}
