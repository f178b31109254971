package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Clocks;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random operations on the wheel and on {@linkplain WheelModel a sorted reference} end in the same. */
class TimingWheelModelTest {

    private static final int[] TICK_SHIFTS = {0, 0, 1, 4, 6, 10, 14, 20, 30};

    /** From all buckets to none. */
    private static final int[] MIN_PREPARED = {1, 2, 20, 1_000_000};

    private static final int OPERATIONS_PER_GAME = 5_000;

    @Test
    void millionRandomOperationsEndAsInTheSortedReference() {
        Seed.play(random -> {
            long operations = play(random, Scale.of(210, 20_000), OPERATIONS_PER_GAME, false);
            assertThat(operations).isGreaterThanOrEqualTo(1_000_000);
        });
    }

    @Test
    void invariantsHoldAfterEveryStep() {
        Seed.play(random -> {
            long operations = play(random, Scale.of(100, 2_000), 300, true);
            assertThat(operations).isPositive();
        });
    }

    private static long play(SplittableRandom random, int games, int operationsPerGame, boolean checksInvariants) {
        long operations = 0;
        for (int i = 0; i < games; i++) {
            operations += new Game(random.split(), checksInvariants).play(operationsPerGame);
        }
        return operations;
    }

    /** One wheel from its start until its timers are gone. */
    private static final class Game {

        private final SplittableRandom random;
        private final boolean checksInvariants;

        /** In some games nothing is removed or moved, so that the next expiry must be exact. */
        private final boolean changesTimers;

        private final WheelModel model;
        private final int tickShift;

        Game(SplittableRandom random, boolean checksInvariants) {
            this.random = random;
            this.checksInvariants = checksInvariants;
            this.changesTimers = random.nextInt(4) > 0;
            this.tickShift = TICK_SHIFTS[random.nextInt(TICK_SHIFTS.length)];
            long[] origins = Clocks.awkwardOrigins();
            int choice = random.nextInt(origins.length + 1);
            long origin = choice == origins.length ? random.nextLong() : origins[choice];
            this.model = new WheelModel(tickShift, origin, MIN_PREPARED[random.nextInt(MIN_PREPARED.length)]);
        }

        int play(int operations) {
            for (int i = 0; i < operations; i++) {
                step();
                if (checksInvariants) {
                    WheelInvariants.check(model.wheel);
                }
            }
            finish();
            return operations;
        }

        private void step() {
            int dice = random.nextInt(100);
            if (dice < 45 || model.isEmpty()) {
                model.add(nextDeadline());
            } else if (dice < 55 && changesTimers) {
                model.remove(model.any(random));
            } else if (dice < 60 && changesTimers) {
                model.removeExpired(random);
            } else if (dice < 70 && changesTimers) {
                model.reposition(model.any(random), nextDeadline());
            } else if (dice < 80 && changesTimers) {
                WheelModel.Timer timer = model.any(random);
                long later = timer.sinceStart() + logUniform();
                if (later >= 0) {
                    model.moveLater(timer, later);
                }
            } else if (dice < 84 && changesTimers) {
                model.end(model.any(random));
            } else if (dice < 87 && changesTimers) {
                model.sweep(random.nextInt(1, 50));
            } else if (dice == 87 && changesTimers) {
                model.sweepAll();
            } else {
                advance(model.now() + nextStep(), nextBudget());
                if (random.nextBoolean()) {
                    model.prepare(nextBudget());
                }
            }
        }

        private void advance(long to, int budget) {
            // Beyond that a delay of the longest kind could not be told from the past.
            long bounded = to < 0 ? model.now() : Math.min(to, Long.MAX_VALUE / 2 - (2L << tickShift));
            model.advance(bounded, budget, this::whileExpiring);
        }

        /** What the taker of an expired timer does with the wheel meanwhile. */
        private void whileExpiring(WheelModel.Timer expired) {
            int dice = random.nextInt(16);
            if (dice == 0) {
                model.add(nextDeadline());
            } else if (dice == 1) {
                model.addAgain(expired, nextDeadline());
            } else if (dice == 2) {
                model.add(expired.sinceStart());
            }
        }

        private void finish() {
            int calls = 0;
            while (!model.isWheelEmpty()) {
                long last = model.latestDueNanos();
                model.advance(Math.max(last, model.now()), random.nextInt(1, 100), expired -> {});
                assertThat(++calls).as("calls to end the game").isLessThan(1_000_000);
            }
            WheelInvariants.check(model.wheel);
        }

        /** Near, far, on a tick and beside it, equal to another, and in the past. */
        private long nextDeadline() {
            long now = model.now();
            long tick = 1L << tickShift;
            return switch (random.nextInt(10)) {
                case 0, 1 -> model.isEmpty() ? now : model.any(random).sinceStart();
                case 2 -> now + random.nextLong(200) * tick;
                case 3 -> (((now >> tickShift) + random.nextLong(5_000)) << tickShift) + random.nextLong(-1, 2);
                case 4 -> now - Math.min(logUniform(), Long.MAX_VALUE / 4);
                case 5 -> now + random.nextLong(4);
                default -> now + logUniform();
            };
        }

        private long nextStep() {
            long next = model.wheel.nanosToNextExpiry(model.nowNanos());
            return switch (random.nextInt(8)) {
                case 0 -> 0;
                case 1 -> 1;
                case 2 -> random.nextLong(64L << tickShift);
                case 3 -> next == Long.MAX_VALUE ? 0 : next;
                case 4 -> next == Long.MAX_VALUE ? 0 : Math.max(0, next - 1);
                case 5 -> Math.max(0, model.earliestDueNanos() - model.now());
                case 6 -> logUniform() >>> 20;
                default -> random.nextInt(50) == 0 ? logUniform() : random.nextLong(1_000L << tickShift);
            };
        }

        private int nextBudget() {
            return switch (random.nextInt(4)) {
                case 0 -> random.nextInt(1, 4);
                case 1 -> random.nextInt(1, 100);
                default -> Integer.MAX_VALUE;
            };
        }

        /** Every order of magnitude is as likely as any other. */
        private long logUniform() {
            return random.nextLong() >>> random.nextInt(2, 64);
        }
    }
}
