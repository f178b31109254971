package io.github.wheelscheduler.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** A wall clock that goes with virtual time, until somebody sets it. */
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

    /** How it is set: shared with the same clock in other zones. */
    private static final class Setting {

        /** What it shows when virtual time is 0. Writer: whoever moves time. Readers: any. */
        private volatile Instant origin;

        Setting(Instant origin) {
            this.origin = origin;
        }
    }
}
