package io.github.wheelscheduler.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.CallerStripe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which message wakes the owner. The test is the owner, so a wake-up is seen by what is announced. */
class InboxTest {

    private final Inbox<String> inbox = new Inbox<>();

    @BeforeEach
    void owns() {
        // Another test class may have left one, too.
        takesTheWakeUpThatMayBeLeft();
        inbox.ownedBy(Thread.currentThread());
    }

    @AfterEach
    void takesTheWakeUpThatMayBeLeft() {
        LockSupport.unpark(Thread.currentThread());
        LockSupport.park();
    }

    private void sleepUntil(long wakeUpNanos) {
        assertThat(inbox.announce(wakeUpNanos)).isTrue();
    }

    private boolean isWoken() {
        return !inbox.isSleepAnnounced();
    }

    private List<String> drainAll() {
        List<String> drained = new ArrayList<>();
        int count = inbox.drain(drained::add, Integer.MAX_VALUE);
        assertThat(count).isEqualTo(drained.size());
        return drained;
    }

    /** So the tick thread can take what has come before, although more comes all the time. */
    @Test
    void markIsReachedWhenWhatHadComeBeforeIsOut() {
        inbox.post("a", 30);
        inbox.postLazily("b");
        inbox.mark();
        assertThat(inbox.isDrainedToMark()).isFalse();
        inbox.postLazily("c");
        assertThat(inbox.drain(message -> {}, 1)).isOne();
        assertThat(inbox.isDrainedToMark()).isFalse();
        assertThat(inbox.drain(message -> {}, 1)).isOne();
        assertThat(inbox.isDrainedToMark()).isTrue();
        assertThat(drainAll()).containsExactly("c");
        assertThat(inbox.isDrainedToMark()).isTrue();
        inbox.mark();
        assertThat(inbox.isDrainedToMark()).isTrue();
    }

    @Test
    void messagesComeOutInTheOrderOfPosting() {
        inbox.post("a", 30);
        inbox.postLazily("b");
        inbox.post("c", 10);
        assertThat(inbox.size()).isEqualTo(3);
        assertThat(drainAll()).containsExactly("a", "b", "c");
        assertThat(inbox.isEmpty()).isTrue();
    }

    @Test
    void drainingStopsAtTheLimit() {
        IntStream.range(0, 10).forEach(i -> inbox.post("m" + i, 0));
        List<String> drained = new ArrayList<>();
        assertThat(inbox.drain(drained::add, 4)).isEqualTo(4);
        assertThat(drained).containsExactly("m0", "m1", "m2", "m3");
        assertThat(inbox.size()).isEqualTo(6);
    }

    @Test
    void sameMessageCanBeInHereTwice() {
        inbox.post("again", 1);
        inbox.post("again", 2);
        assertThat(drainAll()).containsExactly("again", "again");
        inbox.post("again", 3);
        assertThat(drainAll()).containsExactly("again");
    }

    @Test
    void messagesPostedWhileDrainingAreDrainedToo() {
        inbox.post("first", 0);
        List<String> drained = new ArrayList<>();
        int count = inbox.drain(
                message -> {
                    drained.add(message);
                    if (drained.size() < 3) {
                        inbox.post("more", 0);
                    }
                },
                100);
        assertThat(count).isEqualTo(3);
        assertThat(drained).containsExactly("first", "more", "more");
    }

    @Test
    void orderIsKeptAcrossTheChunksOfTheQueue() {
        List<String> posted = IntStream.range(0, 10_000).mapToObj(i -> "m" + i).toList();
        posted.forEach(message -> inbox.post(message, 0));
        assertThat(inbox.size()).isEqualTo(10_000);
        assertThat(drainAll()).isEqualTo(posted);
    }

    @Test
    void earlierMessageWakes() {
        sleepUntil(1_000);
        inbox.post("earlier", 999);
        assertThat(isWoken()).isTrue();
    }

    @Test
    void laterMessageDoesNotWake() {
        sleepUntil(1_000);
        inbox.post("same time", 1_000);
        inbox.post("later", 1_001);
        assertThat(isWoken()).isFalse();
        assertThat(drainAll()).hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void timesAreComparedByDifferenceWhereTheClockWraps(long origin) {
        // A time is announced to 2 ns.
        for (long ahead : new long[] {8, 1_000, 1L << 40, Long.MAX_VALUE / 2}) {
            sleepUntil(origin + ahead);
            inbox.post("later", origin + ahead + 1);
            inbox.post("much later", origin + ahead + Long.MAX_VALUE / 2 - 8);
            assertThat(isWoken()).isFalse();
            inbox.post("earlier", origin + ahead - 4);
            assertThat(isWoken()).isTrue();
            assertThat(drainAll()).hasSize(3);
            sleepUntil(origin + ahead);
            inbox.post("now", origin);
            assertThat(isWoken()).isTrue();
            assertThat(drainAll()).hasSize(1);
            sleepUntil(origin + ahead);
            inbox.post("past", origin - 1_000_000);
            assertThat(isWoken()).isTrue();
            assertThat(drainAll()).hasSize(1);
        }
    }

    @Test
    void wakeUpTimeThatLooksLikeTheMarkOfBeingAwakeIsATime() {
        for (long wakeUpNanos = -8; wakeUpNanos <= 8; wakeUpNanos++) {
            sleepUntil(wakeUpNanos);
            assertThat(isWoken()).isFalse();
            inbox.post("later", wakeUpNanos + 2);
            assertThat(isWoken()).isFalse();
            inbox.post("earlier", wakeUpNanos - 2);
            assertThat(isWoken()).isTrue();
            assertThat(drainAll()).hasSize(2);
        }
    }

    @Test
    void lazyMessageDoesNotWake() {
        sleepUntil(1_000);
        inbox.postLazily("lazy");
        assertThat(isWoken()).isFalse();
        assertThat(drainAll()).hasSize(1);
    }

    @Test
    void largeBacklogWakesAlthoughNothingIsUrgent() {
        sleepUntil(1_000);
        for (int i = 1; i < Inbox.LARGE_BACKLOG; i++) {
            inbox.post("later", 2_000);
        }
        assertThat(isWoken()).isFalse();
        inbox.post("one more", 2_000);
        assertThat(isWoken()).isTrue();
    }

    @Test
    void largeBacklogOfManyCallersWakesAboutAsSoon() throws InterruptedException {
        sleepUntil(1_000);
        int callers = 2 * CallerStripe.COUNT;
        int each = Inbox.LARGE_BACKLOG / callers - 1;
        for (int caller = 0; caller < callers; caller++) {
            onAnotherThread(() -> IntStream.range(0, each).forEach(i -> inbox.post("later", 2_000)));
        }
        assertThat(isWoken()).isFalse();
        onAnotherThread(() -> IntStream.range(0, 2 * 128).forEach(i -> inbox.post("later", 2_000)));
        assertThat(isWoken()).isTrue();
    }

    @Test
    void messagesOfEachThreadComeOutInTheirOrder() throws InterruptedException {
        int callers = 2 * CallerStripe.COUNT + 1;
        List<List<String>> posted = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            String name = caller + "-";
            List<String> messages =
                    IntStream.range(0, 2_000).mapToObj(i -> name + i).toList();
            posted.add(messages);
            onAnotherThread(() -> messages.forEach(inbox::postLazily));
        }
        assertThat(inbox.size()).isEqualTo(callers * 2_000L);
        assertThat(inbox.posted()).isEqualTo(callers * 2_000L);
        List<String> drained = new ArrayList<>();
        while (inbox.drain(drained::add, 300) > 0) {
            assertThat(inbox.size()).isEqualTo(callers * 2_000 - drained.size());
            assertThat(inbox.isEmpty()).isEqualTo(inbox.size() == 0);
        }
        assertThat(drained).hasSize(callers * 2_000);
        for (int caller = 0; caller < callers; caller++) {
            String name = caller + "-";
            assertThat(drained.stream().filter(message -> message.startsWith(name)))
                    .isEqualTo(posted.get(caller));
        }
    }

    @Test
    void drainDoesNotWaitForAllMessagesOfOtherThreads() throws InterruptedException {
        for (int stripe = 0; stripe < CallerStripe.COUNT; stripe++) {
            String message = stripe == 0 ? "many" : "few";
            int count = stripe == 0 ? 5_000 : 1;
            join(threadOf(stripe, () -> IntStream.range(0, count).forEach(i -> inbox.postLazily(message))));
        }
        List<String> drained = new ArrayList<>();
        for (int i = 0; i < CallerStripe.COUNT; i++) {
            assertThat(inbox.drain(drained::add, 100)).isEqualTo(100);
        }
        assertThat(drained.stream().filter("few"::equals)).hasSize(CallerStripe.COUNT - 1);
    }

    /** A caller who asks about every other message of its own, and whose others are posted in between. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void floodIsNoticedByWhoAsksAboutEveryOtherMessage(int before) throws InterruptedException {
        AtomicInteger noticed = new AtomicInteger();
        join(threadOf(0, () -> {
            IntStream.range(0, before).forEach(i -> inbox.postLazily("before"));
            for (int i = 0; i < 1_000; i++) {
                noticed.addAndGet(inbox.isFlooded(100) ? 1 : 0);
                inbox.postLazily("asked about");
                inbox.postLazily("not asked about");
            }
        }));
        assertThat(noticed.get()).isBetween(10, 20);
    }

    private static Thread threadOf(int stripe, Runnable task) {
        Thread thread = new Thread(task, "caller");
        while ((thread.getId() & (CallerStripe.COUNT - 1)) != stripe) {
            thread = new Thread(task, "caller");
        }
        return thread;
    }

    private static void onAnotherThread(Runnable task) throws InterruptedException {
        join(new Thread(task, "caller"));
    }

    private static void join(Thread thread) throws InterruptedException {
        thread.start();
        thread.join();
    }

    @Test
    void everyMessageIsCounted() {
        for (int i = 0; i < 5_000; i++) {
            inbox.post("urgent", 0);
            inbox.postLazily("lazy");
            assertThat(inbox.posted()).isEqualTo(2 * i + 2);
            assertThat(drainAll()).hasSize(2);
        }
        assertThat(inbox.posted()).isEqualTo(10_000);
    }

    @Test
    void sleepIsNotAllowedWhileThereIsAMessage() {
        inbox.post("urgent or not", Long.MAX_VALUE / 2);
        assertThat(inbox.announce(0)).isFalse();
        assertThat(inbox.isSleepAnnounced()).isFalse();
        assertThat(drainAll()).hasSize(1);
        assertThat(inbox.announce(0)).isTrue();
    }

    @Test
    void awakeOwnerIsNeverUnparked() {
        inbox.post("earlier", Long.MIN_VALUE / 2);
        inbox.postLazily("lazy");
        inbox.wake();
        // Would not return at once with a permit left behind.
        long before = System.nanoTime();
        LockSupport.parkNanos(this, 50_000_000);
        assertThat(System.nanoTime() - before).isGreaterThan(10_000_000);
    }

    @Test
    void oneSleepCostsOneWakeUp() {
        sleepUntil(1_000);
        inbox.post("first", 1);
        assertThat(isWoken()).isTrue();
        LockSupport.park(this);
        inbox.post("second", 0);
        inbox.postLazily("third");
        inbox.wake();
        long before = System.nanoTime();
        LockSupport.parkNanos(this, 50_000_000);
        assertThat(System.nanoTime() - before).isGreaterThan(10_000_000);
    }

    @Test
    void askingToWakeWorksWithoutAMessage() {
        sleepUntil(1_000);
        inbox.wake();
        assertThat(isWoken()).isTrue();
        LockSupport.park(this);
    }

    @Test
    void postingBeforeThereIsAnOwnerHarmsNobody() {
        Inbox<String> fresh = new Inbox<>();
        fresh.post("early", 0);
        fresh.postLazily("bird");
        fresh.wake();
        assertThat(fresh.size()).isEqualTo(2);
    }

    @Test
    void announcedTimeIsToldUntilTheOwnerIsAwake() {
        assertThat(inbox.announcedNanos(-7)).isEqualTo(-7);
        assertThat(inbox.announce(5_000)).isTrue();
        assertThat(inbox.announcedNanos(-7)).isEqualTo(5_000);
        inbox.awake();
        assertThat(inbox.announcedNanos(-7)).isEqualTo(-7);
    }
}
