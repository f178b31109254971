package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random operations on a group and on {@linkplain GroupModel lists that are looked through} end in the same, without a
 * thread.
 */
class GroupModelTest {

    private static final int OPERATIONS_PER_GAME = 200;

    /** More than the ready queue takes. */
    private static final int FLOOD = 10_000;

    private static final int READY_QUEUE = 4_096;

    @Test
    void groupHandsOverAsTheModelSays() {
        Seed.play(random -> {
            GroupModel.Seen seen = new GroupModel.Seen();
            int games = Scale.of(300, 20_000);
            for (int i = 0; i < games; i++) {
                new Game(random.split(), seen).play(OPERATIONS_PER_GAME);
            }
            // Each rule has had its turn.
            assertThat(seen.handedOver).isGreaterThan(games);
            assertThat(seen.waited).isGreaterThan(games);
            assertThat(seen.refused).isGreaterThan(games);
            assertThat(seen.passedHeld).isGreaterThan(games / 10);
            assertThat(seen.givenBack).isGreaterThan(games / 10);
        });
    }

    @Test
    void floodLeavesTheWheelInOrderAsRoomAllows() {
        Seed.play(random -> {
            try (ThreadlessWheel wheel = new ThreadlessWheel()) {
                List<Integer> ran = new ArrayList<>();
                List<Integer> expected = new ArrayList<>();
                for (int i = 0; i < FLOOD; i++) {
                    int id = i;
                    expected.add(id);
                    WheelTimer<?> ignored = wheel.schedule(() -> ran.add(id), 1 + i / 1000);
                }
                int mostReady = 0;
                wheel.advance(FLOOD);
                while (ran.size() < FLOOD) {
                    wheel.advance(random.nextInt(3));
                    mostReady = Math.max(mostReady, wheel.workers().ready());
                    assertThat(wheel.executor().readyCount())
                            .isEqualTo(wheel.workers().ready());
                    wheel.run(random.nextInt(3000));
                }
                assertThat(ran).isEqualTo(expected);
                assertThat(mostReady).isEqualTo(READY_QUEUE);
                assertThat(wheel.executor().pendingCount()).isZero();
            }
        });
    }

    /** One group from its first timer to its end. */
    private static final class Game {

        private final SplittableRandom random;
        private final GroupModel model;

        Game(SplittableRandom random, GroupModel.Seen seen) {
            this.random = random;
            OnFull[] policies = OnFull.values();
            this.model = new GroupModel(
                    random.nextInt(1, 4), random.nextInt(6), policies[random.nextInt(policies.length)], seen);
        }

        void play(int operations) {
            for (int i = 0; i < operations; i++) {
                step();
                model.check();
            }
            if (random.nextBoolean()) {
                model.stop();
            } else {
                model.finish();
            }
        }

        private void step() {
            int dice = random.nextInt(100);
            if (dice < 35) {
                model.schedule(
                        random.nextInt(GroupModel.MIN_DELAY, 40), random.nextInt(6) == 0, random.nextInt(6) == 0);
            } else if (dice < 45) {
                model.endRun(random);
            } else if (dice < 50) {
                model.startRun();
            } else if (dice < 55) {
                model.cancel(random);
            } else if (dice < 60) {
                model.move(random, random.nextInt(GroupModel.MIN_DELAY, 40));
            } else if (dice < 63) {
                model.setHeld(random.nextInt(3) == 0);
            } else if (dice < 66) {
                model.setPaused(random.nextInt(3) == 0);
            } else if (dice < 68) {
                model.setMaxSize(random.nextInt(1, 4));
            } else if (dice < 71) {
                model.force(random);
            } else {
                model.advance(random.nextInt(12));
            }
        }
    }
}
