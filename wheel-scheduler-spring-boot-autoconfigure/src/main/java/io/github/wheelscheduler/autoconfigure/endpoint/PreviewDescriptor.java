package io.github.wheelscheduler.autoconfigure.endpoint;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A preview of a schedule.
 *
 * @param words the schedule in English
 * @param upcoming the next runs
 * @param skipped local times in that zone at which it would run if clocks did not go forward
 * @param zone the zone of a cron; null for another schedule
 */
public record PreviewDescriptor(
        String words,
        List<Instant> upcoming,
        List<LocalDateTime> skipped,
        @Nullable String zone) implements OperationResponseBody {}
