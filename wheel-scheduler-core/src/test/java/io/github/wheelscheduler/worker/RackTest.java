package io.github.wheelscheduler.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Places are taken from below, as many as it takes, and those who are idle there are woken from below, the two lowest in turns. */
class RackTest {

    private final Rack rack = new Rack();
    private final ElasticPool pool = ElasticPool.of(
            Thread::new, new Starter(Thread::new, () -> {}), 1, 1, System::nanoTime, new RecordingListener(), null);

    private Worker sitDown() {
        Rack.Place place = rack.takePlace();
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

    private static List<@Nullable Worker> seated(@Nullable Rack rack) {
        List<@Nullable Worker> workers = new ArrayList<>();
        for (int index = 0; rack != null && index < Rack.places(); index++) {
            workers.add(rack.worker(index));
        }
        return workers;
    }

    @Test
    void whoeverDoesNotFitSitsInTheNextRack() {
        List<Worker> workers = sitDown(2 * Rack.places() + 1);
        Rack second = rack.next();
        assertThat(second).isNotNull();
        Rack third = second.next();
        assertThat(third).isNotNull();
        assertThat(third.next()).isNull();
        assertThat(seated(rack)).containsExactlyElementsOf(workers.subList(0, Rack.places()));
        assertThat(seated(second)).containsExactlyElementsOf(workers.subList(Rack.places(), 2 * Rack.places()));
        assertThat(seated(third))
                .startsWith(workers.get(2 * Rack.places()))
                .containsOnlyOnce(workers.get(2 * Rack.places()));
    }

    @Test
    void aPlaceThatWasLeftIsTakenAgainBeforeALaterOne() {
        List<Worker> workers = sitDown(Rack.places() + 1);
        workers.get(3).place.leave();
        assertThat(rack.worker(3)).isNull();
        Worker another = sitDown();
        assertThat(rack.worker(3)).isSameAs(another);
    }

    @Test
    void theTwoLowestAreWokenInTurnsAndNobodyElse() {
        List<Worker> workers = sitDown(3);
        workers.forEach(worker -> worker.place.markIdle());
        for (int round = 0; round < 3; round++) {
            for (int turn = 0; turn < 2; turn++) {
                Worker claimed = rack.claimIdle();
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
        assertThat(rack.hasIdle()).isFalse();
        assertThat(rack.claimIdle()).isNull();
        for (int i = 0; i < 3; i++) {
            workers.get(4).place.markIdle();
            assertThat(rack.hasIdle()).isTrue();
            assertThat(rack.claimIdle()).isSameAs(workers.get(4));
            assertThat(rack.hasIdle()).isFalse();
        }
    }
}
