package io.github.wheelscheduler.internal.spring.task;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;

/** Finds the zone of a cron trigger, which does not say it, but equals another one of the same zone. */
public final class CronZones {

    private static final int SECONDS_OF_AN_OFFSET = 15 * 60;
    private static final int OFFSETS = 18 * 4;

    private CronZones() {}

    /** Whether the trigger says no zone, and goes by that of the clock it is asked with. */
    public static boolean isOpen(Trigger trigger) {
        return trigger instanceof CronTrigger cron && new CronTrigger(cron.getExpression()).equals(cron);
    }

    /**
     * Returns the zone, or the usual one if the trigger says none; null if no zone is it that this machine knows by
     * name.
     */
    public static @Nullable ZoneId of(CronTrigger trigger, @Nullable ZoneId usualZone) {
        if (isOpen(trigger)) {
            return usualZone;
        }
        String expression = trigger.getExpression();
        Stream<ZoneId> likely = Stream.of(ZoneId.systemDefault(), ZoneOffset.UTC);
        Stream<ZoneId> named = ZoneId.getAvailableZoneIds().stream().sorted().map(ZoneId::of);
        return Stream.of(likely, named, offsets())
                .flatMap(zones -> zones)
                .filter(zone -> new CronTrigger(expression, zone).equals(trigger))
                .findFirst()
                .orElse(null);
    }

    /** Returns the zones whose name is an offset, as in {@code +05:30} or {@code GMT+05:30}. */
    private static Stream<ZoneId> offsets() {
        return IntStream.rangeClosed(-OFFSETS, OFFSETS)
                .mapToObj(i -> ZoneOffset.ofTotalSeconds(i * SECONDS_OF_AN_OFFSET))
                .flatMap(offset -> Stream.of(offset, ZoneId.ofOffset("GMT", offset), ZoneId.ofOffset("UTC", offset)));
    }
}
