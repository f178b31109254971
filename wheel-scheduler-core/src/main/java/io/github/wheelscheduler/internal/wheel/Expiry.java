package io.github.wheelscheduler.internal.wheel;

/** Takes the timers that the wheel gives up: their tick has come, or they are {@linkplain TimerNode#isOver() over}. */
@FunctionalInterface
public interface Expiry {

    /**
     * Takes over a timer that is no longer in the wheel. It may {@linkplain TimingWheel#add add} this or other timers
     * to the wheel at once; it must not advance the wheel.
     *
     * <p>If it throws, it has taken the timer over all the same: the wheel has forgotten the timer, ends the call, and
     * goes on with the others in the next one.
     */
    void expire(TimerNode node);
}
