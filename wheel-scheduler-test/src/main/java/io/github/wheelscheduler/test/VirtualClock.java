package io.github.wheelscheduler.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** A wall clock that follows virtual time until it is set. */
final class VirtualClock extends Clock {

    private final VirtualTimeSource source;
    private final ZoneId zone;

    private final Setting setting;

    VirtualClock(VirtualTimeSource source, ZoneId zone, Instant origin) {
        this(source, zone, new Setting(origin));
    }

    private VirtualClock(VirtualTimeSource source, ZoneId zone, Setting setting) {
        this.source = source;
        this.zone = zone;
        this.setting = setting;
    }

    @Override
    public Instant instant() {
        return setting.origin.plusNanos(source.look());
    }

    /** Sets it forward or back; one caller at a time. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void jump(Duration by) {
        setting.origin = setting.origin.plus(by);
    }

    @Override
    public ZoneId getZone() {
        return zone;
    }

    @Override
    public Clock withZone(ZoneId other) {
        return new VirtualClock(source, other, setting);
    }

    @Override
    public String toString() {
        return "VirtualClock[" + instant() + ", " + zone + "]";
    }

    /** The setting of the clock, shared with the same clock in other zones. */
    private static final class Setting {

        /** The instant that the clock shows at virtual time 0. Writer: the thread of the verb. Readers: any. */
        private volatile Instant origin;

        Setting(Instant origin) {
            this.origin = origin;
        }
    }
}
