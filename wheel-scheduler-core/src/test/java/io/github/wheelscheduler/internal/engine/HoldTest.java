package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HoldTest {

    private static final int READINGS = 1_000_000;

    private final Hold hold = new Hold();

    @Test
    void timersLeaveUnlessTheyAreHaltedOrTakeSteps() {
        assertThat(hold.mayLeave()).isEqualTo(Hold.ALL);
        hold.setHalted(true);
        assertThat(hold.mayLeave()).isZero();
        hold.setHalted(false);
        hold.allow(2);
        assertThat(hold.mayLeave()).isEqualTo(2);
        hold.setHalted(true);
        assertThat(hold.mayLeave()).isZero();
        hold.setHalted(false);
        hold.left();
        hold.left();
        assertThat(hold.mayLeave()).isZero();
    }

    @Test
    void groupIsHaltedWithItsExecutorUnlessItStandsApart() {
        Hold group = new Hold(hold, true);
        Hold apart = new Hold(hold, false);
        hold.setHalted(true);
        assertThat(group.mayLeave()).isZero();
        assertThat(apart.mayLeave()).isEqualTo(Hold.ALL);
    }

    /**
     * A pass that takes a halt for a step keeps tasks that run at once in another list than before, and so overtakes.
     */
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
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < READINGS; i++) {
            seen.add(hold.mayLeave());
        }
        isOver.set(true);
        halting.join();
        assertThat(seen).isSubsetOf(0L, Hold.ALL);
    }
}
