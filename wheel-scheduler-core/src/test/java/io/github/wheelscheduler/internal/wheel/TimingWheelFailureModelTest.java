package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Clocks;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.TestNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random operations on a wheel whose allocations and whose taker of expired timers fail at random: nothing is lost,
 * nothing expires twice, early or late, and the wheel is whole after each failure.
 */
class TimingWheelFailureModelTest {

    private static final int[] MIN_PREPARED = {1, 2, 20, 1_000_000};

    @Test
    void failuresAnywhereLoseNoTimer() {
        Seed.play(random -> {
            long failures = 0;
            for (int i = 0; i < Scale.of(150, 300, 6_000); i++) {
                failures += new Game(random.split()).play();
            }
            assertThat(failures).as("failures").isPositive();
        });
    }

    /** The taker of a timer failed on purpose; the timer is in its hand. */
    private static final class TakerFailure extends RuntimeException {

        private static final long serialVersionUID = 1;

        TakerFailure() {
            super("on purpose");
        }
    }

    private static final class Timer extends TestNode {

        /** The wheel has been given this timer and has not given it up. */
        boolean isHeld;

        /** A reposition to an earlier time failed, and the wheel need not know of that time. */
        boolean isOwed;

        Timer(long deadlineNanos) {
            super("timer", deadlineNanos);
        }
    }

    /** One wheel from its start until its timers are gone. */
    private static final class Game {

        private final SplittableRandom random;
        private final long originNanos;
        private final int tickShift;
        private final TimingWheel wheel;
        private final List<Timer> timers = new ArrayList<>();
        private int failuresInAHundred;
        private long now;
        private long failures;

        Game(SplittableRandom random) {
            this.random = random;
            long[] origins = Clocks.awkwardOrigins();
            this.originNanos = origins[random.nextInt(origins.length)];
            this.tickShift = random.nextInt(3) * 7;
            int minPrepared = MIN_PREPARED[random.nextInt(MIN_PREPARED.length)];
            this.wheel = new TimingWheel(tickShift, originNanos, minPrepared, this::allocate);
            this.failuresInAHundred = 1 + random.nextInt(80);
        }

        private void allocate() {
            if (random.nextInt(100) < failuresInAHundred) {
                throw new OutOfMemoryError("on purpose");
            }
        }

        long play() {
            for (int i = 0; i < 300; i++) {
                boolean isFailing = !attempt(this::step);
                WheelInvariants.check(wheel);
                checkTimers();
                failures += isFailing ? 1 : 0;
            }
            failuresInAHundred = 0;
            finish();
            return failures;
        }

        private void finish() {
            List.copyOf(timers).forEach(this::handBack);
            for (int calls = 0; wheel.size() > 0; calls++) {
                assertThat(calls).as("calls to end the game").isLessThan(100_000);
                long sleep = wheel.nanosToNextExpiry(nowNanos());
                advance(Math.max(now, now + sleep), random.nextInt(1, 100));
            }
            WheelInvariants.check(wheel);
            assertThat(timers).as("what was neither expired nor given up").isEmpty();
        }

        /** Does something, and says whether it did not fail on purpose. */
        private boolean attempt(Runnable action) {
            try {
                action.run();
                return true;
            } catch (OutOfMemoryError | TakerFailure ex) {
                return false;
            }
        }

        private void step() {
            Timer any = timers.isEmpty() ? null : timers.get(random.nextInt(timers.size()));
            int dice = random.nextInt(100);
            if (dice < 40 || any == null) {
                addSome();
            } else if (dice < 50) {
                handBack(any);
            } else if (dice < 60) {
                reposition(any, nextDeadline());
            } else if (dice < 65) {
                any.moveTo(any.deadlineNanos() + logUniform(40));
            } else if (dice < 70) {
                any.end();
            } else if (dice < 73) {
                remove(any);
            } else if (dice < 76) {
                wheel.startSweep();
                int ignored = wheel.sweep(random.nextInt(1, 200), this::take);
            } else if (dice < 77) {
                long ignored = wheel.removeIf(node -> random.nextInt(20) == 0, node -> {
                    forget((Timer) node);
                    failSometimes((Timer) node);
                });
            } else if (dice < 85) {
                int ignored = wheel.prepare(nowNanos(), random.nextInt(1, 50), this::takeOver);
            } else {
                advance(now + logUniform(random.nextInt(1, 34)), random.nextBoolean() ? 1_000_000 : 5);
            }
        }

        private void addSome() {
            long deadline = nextDeadline();
            for (int i = random.nextInt(1, 10); i > 0; i--) {
                Timer timer = new Timer(originNanos + deadline + random.nextInt(3));
                timers.add(timer);
                handBack(timer);
            }
        }

        /** Gives the wheel, for the first time or again, a timer that it does not hold. */
        private void handBack(Timer timer) {
            if (!timer.isHeld || timer.isOwed) {
                wheel.reposition(timer);
                timer.isHeld = true;
                timer.isOwed = false;
            }
        }

        private void reposition(Timer timer, long deadline) {
            if (timer.isHeld) {
                boolean isEarlier = originNanos + deadline - timer.deadlineNanos() < 0;
                timer.moveTo(originNanos + deadline);
                timer.isOwed |= isEarlier;
                wheel.reposition(timer);
                timer.isOwed = false;
            }
        }

        private void remove(Timer timer) {
            assertThat(wheel.remove(timer)).isEqualTo(timer.isHeld);
            forget(timer);
        }

        private void advance(long to, int budget) {
            now = to;
            int unused = wheel.advance(nowNanos(), budget, this::takeExpired);
            if (unused > 0) {
                for (Timer timer : timers) {
                    assertThat(timer.isHeld && !timer.isOwed && dueTick(timer) <= nowTick())
                            .as("must have expired: due at tick %s, it is %s", dueTick(timer), nowTick())
                            .isFalse();
                }
            }
        }

        private void takeExpired(TimerNode node) {
            assertThat(((Timer) node).isOver() || dueTick((Timer) node) <= nowTick())
                    .as("is due or over")
                    .isTrue();
            take(node);
        }

        private void takeOver(TimerNode node) {
            assertThat(((Timer) node).isOver()).isTrue();
            take(node);
        }

        private void take(TimerNode node) {
            Timer timer = (Timer) node;
            assertThat(timer.isLinked()).isFalse();
            assertThat(timer.isHeld).as("is given up once").isTrue();
            timer.isHeld = false;
            timer.isOwed = false;
            failSometimes(timer);
            forget(timer);
            if (random.nextInt(10) == 0) {
                addSome();
            }
        }

        private void failSometimes(Timer timer) {
            if (random.nextInt(200) < failuresInAHundred) {
                timer.isHeld = false;
                if (!timers.contains(timer)) {
                    timers.add(timer);
                }
                throw new TakerFailure();
            }
        }

        private void forget(Timer timer) {
            assertThat(timers.remove(timer)).as("is known").isTrue();
            timer.isHeld = false;
        }

        private void checkTimers() {
            long held = 0;
            long earliest = Long.MAX_VALUE;
            for (Timer timer : timers) {
                assertThat(timer.isLinked()).as("the wheel holds it").isEqualTo(timer.isHeld);
                if (timer.isHeld) {
                    held++;
                    earliest = timer.isOwed ? earliest : Math.min(earliest, dueTick(timer) << tickShift);
                }
            }
            assertThat(wheel.size()).isEqualTo(held);
            if (earliest != Long.MAX_VALUE) {
                assertThat(wheel.nanosToNextExpiry(nowNanos())).isBetween(0L, Math.max(0, earliest - now));
            }
        }

        private long nowNanos() {
            return originNanos + now;
        }

        private long nowTick() {
            return now >> tickShift;
        }

        private long dueTick(Timer timer) {
            return -Math.floorDiv(-(timer.deadlineNanos() - originNanos), 1L << tickShift);
        }

        private long nextDeadline() {
            return switch (random.nextInt(5)) {
                case 0 -> now - random.nextInt(100);
                case 1 -> now + (random.nextLong(100) << tickShift);
                case 2 -> now + 70_000 - now % 70_000;
                default -> now + logUniform(40);
            };
        }

        /** Every order of magnitude is as likely as any other, up to so many bits. */
        private long logUniform(int bits) {
            return random.nextLong(2L << random.nextInt(bits));
        }
    }
}
