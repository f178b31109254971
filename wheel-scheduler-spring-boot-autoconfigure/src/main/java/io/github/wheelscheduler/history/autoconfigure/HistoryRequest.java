package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.AuditQuery;
import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.ValueRange;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request as it was written; it may make no sense.
 *
 * @param from the first instant
 * @param to the instant behind the last
 * @param task the id of a task, or a handler
 * @param id of a one-time task of that handler
 * @param outcome the outcome of runs; several with commas in between
 * @param cause the cause of the runs
 * @param node the name of a node
 * @param text a part of the class or message of a failure
 * @param who the caller that steered
 * @param kind of a failure
 * @param after the cursor of the page before
 * @param limit the maximum number of rows
 */
record HistoryRequest(
        @Nullable String from,
        @Nullable String to,
        @Nullable String task,
        @Nullable String id,
        @Nullable String outcome,
        @Nullable String cause,
        @Nullable String node,
        @Nullable String text,
        @Nullable String who,
        @Nullable String kind,
        @Nullable String after,
        @Nullable Integer limit) {

    private static final int USUAL_LIMIT = 50;

    /** The years that all databases know. */
    private static final ValueRange YEARS = ValueRange.of(1_000, 9_999);

    /** @throws IllegalArgumentException if it makes no sense */
    HistoryQuery toQuery() {
        return new HistoryQuery(
                instant("from", from),
                instant("to", to),
                taskOrNull(),
                textOrNull("id", id),
                outcomes(),
                emptyIsNull(cause) == null ? null : parse(HistoryCause.class, "cause", cause),
                textOrNull("node", node),
                textOrNull("text", text),
                emptyIsNull(after),
                atMost());
    }

    /** @throws IllegalArgumentException if it makes no sense */
    AuditQuery toAuditQuery() {
        return new AuditQuery(
                instant("from", from),
                instant("to", to),
                taskOrNull(),
                textOrNull("who", who),
                emptyIsNull(after),
                atMost());
    }

    /** Returns the begin of the range, or so long before its end. */
    Instant begin(Duration usual, Instant now) {
        Instant given = instant("from", from);
        return given == null ? end(now).minus(usual) : given;
    }

    /** Returns the end of the range, or now. */
    Instant end(Instant now) {
        Instant given = instant("to", to);
        return given == null ? now : given;
    }

    /** Returns the id of the task, or the handler; null for all. */
    @Nullable
    String taskOrNull() {
        return textOrNull("task", task);
    }

    /** @throws IllegalArgumentException if there is none */
    String requireTask() {
        String given = taskOrNull();
        if (given == null) {
            throw new IllegalArgumentException("task must be given");
        }
        return given;
    }

    /** @throws IllegalArgumentException if there is none */
    String requireKind() {
        String given = textOrNull("kind", kind);
        if (given == null) {
            throw new IllegalArgumentException("kind must be given, as an answer of wheelhistory/failures has it");
        }
        return given;
    }

    private int atMost() {
        return limit == null ? USUAL_LIMIT : limit;
    }

    private Set<HistoryOutcome> outcomes() {
        String given = emptyIsNull(outcome);
        Set<HistoryOutcome> found = EnumSet.noneOf(HistoryOutcome.class);
        if (given != null) {
            for (String one : given.split(",", -1)) {
                boolean ignored = found.add(parse(HistoryOutcome.class, "outcome", one));
            }
        }
        return found;
    }

    private static <E extends Enum<E>> E parse(Class<E> type, String what, @Nullable String text) {
        String wanted = text == null ? "" : text.trim().toUpperCase(Locale.ROOT);
        return Arrays.stream(type.getEnumConstants())
                .filter(one -> one.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(what + " must be one of "
                        + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT) + ", was " + text));
    }

    private static @Nullable Instant instant(String what, @Nullable String text) {
        if (emptyIsNull(text) == null) {
            return null;
        }
        try {
            OffsetDateTime time = OffsetDateTime.parse(text).withOffsetSameInstant(ZoneOffset.UTC);
            long ignored = YEARS.checkValidValue(time.getYear(), ChronoField.YEAR);
            return time.toInstant();
        } catch (DateTimeException ex) {
            throw new IllegalArgumentException(
                    what + " must be an instant such as 2030-01-01T12:00:00Z, was " + text, ex);
        }
    }

    /** Refuses what PostgreSQL would refuse, as if it did not answer. */
    private static @Nullable String textOrNull(String what, @Nullable String text) {
        String given = emptyIsNull(text);
        if (given != null
                && (given.indexOf('\0') >= 0
                        || !StandardCharsets.UTF_8.newEncoder().canEncode(given))) {
            throw new IllegalArgumentException(
                    what + " must contain neither the character U+0000 nor unpaired surrogates");
        }
        return given;
    }

    private static @Nullable String emptyIsNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
