package io.github.wheelscheduler.wheel;

/** Takes the timers that the wheel gives up because their tick has come. */
@FunctionalInterface
public interface Expiry {

    /**
     * Takes over a timer that is no longer in the wheel. It may {@linkplain TimingWheel#add add} this or other timers
     * to the wheel at once; it must not advance the wheel.
     */
    void expire(TimerNode node);
}
