package io.github.wheelscheduler.durable.internal.idle;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When an idle node has something to do next, by its rows; each time null for never.
 *
 * @param mayJump whether time may jump there; otherwise each job comes as often as in production
 * @param isHeld whether a row is held that may run, for which no time is known: by a node that is dead, or by an end
 *     that is not written
 * @param dueAt a row that it can claim
 * @param unreadableAt a row that no node could read, whose pause is over
 * @param laterAt the first of both that is not due yet, where another is due that may be locked
 * @param recurringAt a row of a recurring task that is not there, is to be kept or forgotten, or was taken for failed
 * @param unplantedAt a recurring task whose row has not been made
 * @param learnAt recurring tasks that are made at run time, and that it does not know of
 * @param tidyAt a row that is to be deleted
 * @param unknownAt a row that it has claimed and does not have in memory
 * @param freeAt a row of a dead node that is to be freed and may be locked, or the row of that node
 */
public record Needs(
        boolean mayJump,
        boolean isHeld,
        @Nullable Instant dueAt,
        @Nullable Instant unreadableAt,
        @Nullable Instant laterAt,
        @Nullable Instant recurringAt,
        @Nullable Instant unplantedAt,
        @Nullable Instant learnAt,
        @Nullable Instant tidyAt,
        @Nullable Instant unknownAt,
        @Nullable Instant freeAt) {

    /** Now, and again after a pause that doubles while that has not helped. */
    public static final Instant AT_ONCE = Instant.MIN;

    /** The node has claimed tasks, whose timers have their due times. */
    public static final Needs IN_HAND = paced(false);

    /** The database has not said what is there. */
    public static final Needs UNKNOWN = paced(true);

    private static Needs paced(boolean isHeld) {
        return new Needs(false, isHeld, null, null, null, null, null, null, null, null, null);
    }
}
