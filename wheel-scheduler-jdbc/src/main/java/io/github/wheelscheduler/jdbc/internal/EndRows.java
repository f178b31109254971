package io.github.wheelscheduler.jdbc.internal;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a history that are written in the statement or transaction of an end. Any thread; nothing blocks. */
public interface EndRows {

    /** The row of an end. One thread after another. */
    interface EndRow {

        /**
         * Returns the values of its columns, in which times are instants; null if the end is only counted, or is too
         * old by now.
         *
         * @param now the time by the database's clock
         */
        Object @Nullable [] values(Instant now);

        /**
         * Called once, after the commit of the end.
         *
         * @param isWritten whether the row was written with the end; otherwise the history writes it
         */
        void committed(boolean isWritten);
    }

    /** Returns the row of an end that is about to be written; null if the end is to be noted after its commit. */
    @Nullable
    EndRow row(EndNote end);

    /** Returns the table and, in parentheses, the columns of a row. The first column is never null. */
    String target();

    /** Returns the types of these columns in PostgreSQL. */
    List<String> types();

    /** Called when a statement failed with these rows and not without them: the next ones are written without. */
    void refused(Throwable why);
}
