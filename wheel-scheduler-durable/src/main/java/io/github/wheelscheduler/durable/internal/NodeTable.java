package io.github.wheelscheduler.durable.internal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of nodes, one for each incarnation: a number of its own for each start of a node, and for each time that it finds itself dead. A
 * row whose {@code beat} changes is alive. One more row, {@link #LAYOUT}, says what the tables are like.
 */
record NodeTable(Sql sql) {

    static final int ALIVE = 0;

    /** It ends its runs and claims nothing: what it leaves has not killed it. */
    static final int CLOSING = 1;

    /** It may have died of a task. */
    static final int DEAD = 2;

    /** It has died while it was closing. */
    static final int GONE = 3;

    /** The incarnation of the row that is no node. */
    static final long LAYOUT = 0;

    /** What this release makes, and what it needs. */
    static final int OUR_LAYOUT = 1;

    private static final String SELECT = "select incarnation, name, state, beat, beat_at, asked from {node} where ";

    /**
     * A node.
     *
     * @param state one of the constants above
     * @param beat changes as long as the node lives
     * @param beatAt when it did so last, by the database's clock
     * @param asked how often it was asked to end something that it has
     */
    record NodeRow(long incarnation, String name, int state, long beat, Instant beatAt, long asked) {

        boolean isDead() {
            return state >= DEAD;
        }
    }

    /** Adds a node, which is in that state. */
    boolean add(long incarnation, String name, int state) {
        return sql.changes(
                "insert into {node} (incarnation, name, state, beat, beat_at) values (?, ?, ?, 1, {now})",
                incarnation,
                name,
                state);
    }

    /** Says that a node lives, and in which state it is; false if others have found it dead. */
    boolean beat(long incarnation, int state) {
        return sql.changes(
                "update {node} set beat = beat + 1, beat_at = {now}, state = ? where incarnation = ? and state < "
                        + DEAD,
                state,
                incarnation);
    }

    /** Whether a node is there that nobody has found dead: then nobody has taken over what it had. */
    boolean isAlive(long incarnation) {
        return sql.finds("select 1 from {node} where incarnation = ? and state < " + DEAD, incarnation);
    }

    /** Returns all nodes, dead ones among them. */
    List<NodeRow> list() {
        return sql.query(SELECT + "incarnation <> " + LAYOUT + " order by name, incarnation", this::read);
    }

    private NodeRow read(ResultSet row, int number) throws SQLException {
        return new NodeRow(
                row.getLong("incarnation"),
                row.getString("name"),
                row.getInt("state"),
                row.getLong("beat"),
                Objects.requireNonNullElse(sql.dialect().instant(row, "beat_at"), Instant.EPOCH),
                row.getLong("asked"));
    }

    /**
     * Locks the row of a node that seems to be dead, and returns it as it is now; null if another transaction has locked it, or it is gone. In a transaction of
     * the caller's.
     */
    @Nullable
    NodeRow lock(long incarnation) {
        return sql.first(SELECT + "incarnation = ?" + Dialect.SKIPPING_LOCKED, this::read, incarnation);
    }

    /** Says that a node is dead, whose row is locked. */
    boolean bury(long incarnation) {
        return sql.changes(
                "update {node} set state = case when state = " + CLOSING + " then " + GONE + " else " + DEAD
                        + " end where incarnation = ?",
                incarnation);
    }

    /** Deletes the row of a node, unless rows of tasks name it. */
    boolean delete(long incarnation) {
        return sql.changes(
                "delete from {node} where incarnation = ? and not exists (select 1 from {task} where owner = ?)",
                incarnation,
                incarnation);
    }

    /** Asks all nodes to look at all that waits: this one has freed something that was due long ago. */
    boolean askForFullLook(long incarnation) {
        return sql.changes("update {node} set full_looks = full_looks + 1 where incarnation = ?", incarnation);
    }

    /**
     * Returns what the tables are like and which releases may work on them.
     *
     * @return the layout, and the oldest that a node may know; null if the row that says so is not there
     */
    int @Nullable [] layout() {
        return sql.first("select layout, oldest_layout from {node} where incarnation = " + LAYOUT, (row, number) ->
                new int[] {row.getInt(1), row.getInt(2)});
    }
}
