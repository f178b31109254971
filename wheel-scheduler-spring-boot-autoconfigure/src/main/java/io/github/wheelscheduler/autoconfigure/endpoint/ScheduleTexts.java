package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/**
 * The parts of a schedule as a caller writes them, possibly nonsense.
 *
 * @param fixedRate a period, as in {@code 5s} or {@code PT5S}; without a unit in milliseconds
 * @param fixedDelay a delay, likewise
 * @param cron an expression
 * @param zone of the cron expression; null for that which the task has
 * @param once an instant, as in {@code 2030-01-01T12:00:00Z} or with an offset
 */
public record ScheduleTexts(
        @Nullable String fixedRate,
        @Nullable String fixedDelay,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable String once) {

    private static final Duration PAST = Duration.ofSeconds(1);
    private static final String DURATION = "a duration such as 5s";

    /**
     * Checks that nothing was written.
     *
     * @throws IllegalArgumentException otherwise
     */
    public void requireNone() {
        if (Stream.of(fixedRate, fixedDelay, cron, zone, once).anyMatch(Objects::nonNull)) {
            throw new IllegalArgumentException(
                    "fixedRate, fixedDelay, cron, zone and once must only be given with the action retime");
        }
    }

    /**
     * Returns what was meant.
     *
     * @param minInterval the shortest rate or delay that is taken
     * @param now by the clock of the scheduler
     * @throws IllegalArgumentException if that is not one schedule, its interval is shorter, or its instant more than a
     *     second past
     */
    public TaskSchedule toSchedule(Duration minInterval, Instant now) {
        TaskSchedule schedule = parse();
        Duration interval = schedule instanceof TaskSchedule.FixedRate || schedule instanceof TaskSchedule.FixedDelay
                ? schedule.intervalAfter(now)
                : null;
        if (interval != null && interval.compareTo(minInterval) < 0) {
            throw new IllegalArgumentException("fixedRate and fixedDelay must be at least " + minInterval + ", as "
                    + WheelSchedulerEndpointProperties.PREFIX + ".min-interval says, were "
                    + (fixedRate != null ? fixedRate : fixedDelay));
        }
        if (schedule instanceof TaskSchedule.Once instant && instant.at().isBefore(now.minus(PAST))) {
            throw new IllegalArgumentException("once must not be in the past, was " + once);
        }
        return schedule;
    }

    private TaskSchedule parse() {
        if (cron != null && cron.length() > EndpointAnswers.LONGEST) {
            throw new IllegalArgumentException("cron must have at most " + EndpointAnswers.LONGEST + " characters, had "
                    + cron.length() + ": " + cron);
        }
        long given = Stream.of(fixedRate, fixedDelay, cron, once)
                .filter(Objects::nonNull)
                .count();
        if (given != 1) {
            throw new IllegalArgumentException(
                    "exactly one of fixedRate, fixedDelay, cron and once must be given, were " + given);
        }
        if (cron != null) {
            return zone == null
                    ? TaskSchedule.cron(cron)
                    : TaskSchedule.cron(cron, parse("zone", "a time zone such as Europe/Berlin", zone, ZoneId::of));
        }
        if (zone != null) {
            throw new IllegalArgumentException("zone must only be given with cron");
        }
        if (once != null) {
            String rule = "an instant such as 2030-01-01T12:00:00Z";
            return TaskSchedule.once(
                    parse("once", rule, once, OffsetDateTime::parse).toInstant());
        }
        return fixedRate != null
                ? TaskSchedule.fixedRate(parse("fixedRate", DURATION, fixedRate, DurationStyle::detectAndParse))
                : TaskSchedule.fixedDelay(parse(
                        "fixedDelay", DURATION, Objects.requireNonNull(fixedDelay), DurationStyle::detectAndParse));
    }

    private static <T> T parse(String what, String rule, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException ex) {
            throw new IllegalArgumentException(what + " must be " + rule + ", was " + text, ex);
        }
    }
}
