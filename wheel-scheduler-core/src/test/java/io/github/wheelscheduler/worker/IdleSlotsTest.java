package io.github.wheelscheduler.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Places are taken from below, as many as it takes, and those who are idle there are woken from below, the two lowest in turns. */
class IdleSlotsTest {

    private final IdleSlots slots = new IdleSlots();
    private final ElasticPool pool = ElasticPool.of(
            Thread::new, new Starter(Thread::new, () -> {}), 1, 1, System::nanoTime, new RecordingListener(), null);

    private Worker sitDown() {
        IdleSlots.Place place = slots.takePlace();
        Worker worker = new Worker(pool, place);
        place.seat(worker);
        return worker;
    }

    private List<Worker> sitDown(int number) {
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            workers.add(sitDown());
        }
        return workers;
    }

    private static List<@Nullable Worker> seated(@Nullable IdleSlots slots) {
        List<@Nullable Worker> workers = new ArrayList<>();
        for (int index = 0; slots != null && index < IdleSlots.places(); index++) {
            workers.add(slots.worker(index));
        }
        return workers;
    }

    @Test
    void whoeverDoesNotFitSitsInTheNextRack() {
        List<Worker> workers = sitDown(2 * IdleSlots.places() + 1);
        IdleSlots second = slots.next();
        assertThat(second).isNotNull();
        IdleSlots third = second.next();
        assertThat(third).isNotNull();
        assertThat(third.next()).isNull();
        assertThat(seated(slots)).containsExactlyElementsOf(workers.subList(0, IdleSlots.places()));
        assertThat(seated(second))
                .containsExactlyElementsOf(workers.subList(IdleSlots.places(), 2 * IdleSlots.places()));
        assertThat(seated(third))
                .startsWith(workers.get(2 * IdleSlots.places()))
                .containsOnlyOnce(workers.get(2 * IdleSlots.places()));
    }

    @Test
    void aPlaceThatWasLeftIsTakenAgainBeforeALaterOne() {
        List<Worker> workers = sitDown(IdleSlots.places() + 1);
        workers.get(3).place.leave();
        assertThat(slots.worker(3)).isNull();
        Worker another = sitDown();
        assertThat(slots.worker(3)).isSameAs(another);
    }

    @Test
    void theTwoLowestAreWokenInTurnsAndNobodyElse() {
        List<Worker> workers = sitDown(3);
        workers.forEach(worker -> worker.place.markIdle());
        for (int round = 0; round < 3; round++) {
            for (int turn = 0; turn < 2; turn++) {
                Worker claimed = slots.claimIdle();
                assertThat(claimed).isSameAs(workers.get(turn));
                assertThat(claimed.place.unmarkIdle()).isFalse();
                claimed.place.markIdle();
            }
        }
        assertThat(workers.get(2).place.unmarkIdle()).isTrue();
    }

    @Test
    void whoIsTheOnlyOneIsWokenEachTimeAndNobodyIfNoneIsIdle() {
        List<Worker> workers = sitDown(5);
        assertThat(slots.hasIdle()).isFalse();
        assertThat(slots.claimIdle()).isNull();
        for (int i = 0; i < 3; i++) {
            workers.get(4).place.markIdle();
            assertThat(slots.hasIdle()).isTrue();
            assertThat(slots.claimIdle()).isSameAs(workers.get(4));
            assertThat(slots.hasIdle()).isFalse();
        }
    }
}
