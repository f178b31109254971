package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.engine.Hold.Passage;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final int READINGS = 1_000_000;

    private final Hold hold = new Hold();

    @Test
    void timersLeaveUnlessTheyAreHaltedOrTakeSteps() {
        assertThat(hold.passage()).isEqualTo(Passage.ALL);
        hold.setHalted(true);
        assertThat(hold.passage()).isEqualTo(Passage.NONE);
        hold.setHalted(false);
        hold.allow(2);
        assertThat(hold.passage()).isEqualTo(Passage.STEPPED);
        hold.setHalted(true);
        assertThat(hold.passage()).isEqualTo(Passage.NONE);
        hold.setHalted(false);
        hold.left();
        hold.left();
        assertThat(hold.passage()).isEqualTo(Passage.NONE);
    }

    @Test
    void groupIsHaltedWithItsExecutorUnlessItStandsApart() {
        Hold group = new Hold(hold, true);
        Hold apart = new Hold(hold, false);
        hold.setHalted(true);
        assertThat(group.passage()).isEqualTo(Passage.NONE);
        assertThat(apart.passage()).isEqualTo(Passage.ALL);
    }

    /** A pass that takes a halt for a step keeps tasks that run at once in another list than before, and so overtakes. */
    @Test
    void haltIsNeverReadAsAStepWhileItComesAndGoes() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        Thread halting = new Thread(() -> {
            for (boolean halted = true; !isOver.get(); halted = !halted) {
                hold.setHalted(halted);
                started.countDown();
            }
        });
        halting.start();
        started.await();
        Set<Passage> seen = EnumSet.noneOf(Passage.class);
        for (int i = 0; i < READINGS; i++) {
            seen.add(hold.passage());
        }
        isOver.set(true);
        halting.join();
        assertThat(seen).doesNotContain(Passage.STEPPED);
    }
}
