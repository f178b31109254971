package io.github.wheelscheduler.durable.internal.journal;

import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows.EndRow;
import org.jspecify.annotations.Nullable;

/** The note of an end that is about to be committed, and its row. Used by one thread after another. */
public final class NotedEnd {

    final EndNote note;

    /** Null if the history takes the note after the commit. */
    final @Nullable EndRow row;

    /** Whether the statement that has ended the run, or whose answer was lost, has written the row. */
    private boolean isWritten;

    NotedEnd(EndNote note, @Nullable EndRow row) {
        this.note = note;
        this.row = row;
    }

    void written(boolean isInStatement) {
        isWritten = isInStatement;
    }

    boolean isWritten() {
        return isWritten;
    }
}
