package io.github.wheelscheduler.spring.task;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronTrigger;

/** Finds the zone of a cron trigger, which does not say it, but equals another one of the same zone. */
final class CronZones {

    private CronZones() {}

    /** Returns the zone, which is that of the clock if the trigger has none; null if none that this machine knows by name is it. */
    static @Nullable ZoneId of(CronTrigger trigger, ZoneId clockZone) {
        String expression = trigger.getExpression();
        if (new CronTrigger(expression).equals(trigger)) {
            return clockZone;
        }
        Stream<ZoneId> likely = Stream.of(ZoneId.systemDefault(), ZoneOffset.UTC);
        Stream<ZoneId> others = ZoneId.getAvailableZoneIds().stream().sorted().map(ZoneId::of);
        return Stream.concat(likely, others)
                .filter(zone -> new CronTrigger(expression, zone).equals(trigger))
                .findFirst()
                .orElse(null);
    }
}
