package io.github.wheelscheduler.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Slots are taken from below, as many as it takes, and idle workers are woken from below, the two lowest in turns. */
class IdleSlotsTest {

    private final IdleSlots slots = new IdleSlots();
    private final ElasticPool pool = new ElasticPool(
            ElasticPool.ThreadPolicy.KEEP_SOME,
            Thread::new,
            new Starter(() -> {}, () -> {}),
            1,
            1,
            System::nanoTime,
            new RecordingListener(),
            null);

    private Worker sitDown() {
        return slots.newWorker(pool);
    }

    private List<Worker> sitDown(int number) {
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            workers.add(sitDown());
        }
        return workers;
    }

    private static List<Worker> seated(IdleSlots first) {
        List<Worker> workers = new ArrayList<>();
        assertThat(first.anyWorker(worker -> !workers.add(worker))).isFalse();
        return workers;
    }

    @Test
    void workersThatDoNotFitSitInTheNextSet() {
        List<Worker> workers = sitDown(2 * IdleSlots.SLOTS + 1);
        IdleSlots second = slots.next.get();
        assertThat(second).isNotNull();
        IdleSlots third = second.next.get();
        assertThat(third).isNotNull();
        assertThat(third.next.get()).isNull();
        assertThat(seated(slots)).containsExactlyElementsOf(workers);
        assertThat(seated(second)).containsExactlyElementsOf(workers.subList(IdleSlots.SLOTS, 2 * IdleSlots.SLOTS + 1));
        assertThat(seated(third)).containsExactly(workers.get(2 * IdleSlots.SLOTS));
    }

    @Test
    void slotThatWasLeftIsTakenAgainBeforeALaterOne() {
        List<Worker> workers = sitDown(IdleSlots.SLOTS + 1);
        workers.get(3).leaveSlot();
        assertThat(seated(slots)).doesNotContain(workers.get(3));
        Worker another = sitDown();
        assertThat(seated(slots).get(3)).isSameAs(another);
    }

    @Test
    void twoLowestAreWokenInTurnsAndNoOther() {
        List<Worker> workers = sitDown(3);
        workers.forEach(worker -> worker.markIdle());
        for (int round = 0; round < 3; round++) {
            for (int turn = 0; turn < 2; turn++) {
                Worker claimed = slots.claimIdle();
                assertThat(claimed).isSameAs(workers.get(turn));
                assertThat(claimed.unmarkIdle()).isFalse();
                claimed.markIdle();
            }
        }
        assertThat(workers.get(2).unmarkIdle()).isTrue();
    }

    @Test
    void onlyIdleOneIsWokenEachTimeAndNoneIfNoneIsIdle() {
        List<Worker> workers = sitDown(5);
        assertThat(slots.hasIdle()).isFalse();
        assertThat(slots.claimIdle()).isNull();
        for (int i = 0; i < 3; i++) {
            workers.get(4).markIdle();
            assertThat(slots.hasIdle()).isTrue();
            assertThat(slots.claimIdle()).isSameAs(workers.get(4));
            assertThat(slots.hasIdle()).isFalse();
        }
    }
}
