package io.github.wheelscheduler.durable.internal.journal;

import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a history in one statement of PostgreSQL, column by column. A column is one value if all rows have the
 * same, and the ids of the ended rows are there already; others are arrays. Times are sent as microseconds, since texts
 * of times take both sides long. A row whose first value is null is not inserted.
 */
public final class RowColumns {

    private static final String TIME = "timestamptz";
    private static final String NUMBER = "bigint";
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private final StringBuilder names = new StringBuilder();
    private final StringBuilder parameters = new StringBuilder();
    private final List<String> inserted = new ArrayList<>();

    // The parameters: arrays with their types, and values.

    private final List<String> arrayTypes = new ArrayList<>();
    private final List<@Nullable Object[]> arrays = new ArrayList<>();
    private final List<@Nullable Object> values = new ArrayList<>();

    /**
     * Makes those of some ends.
     *
     * @param types of the columns
     * @param rows their values; null for an end without a row, but not for all
     * @param ids of the ended rows
     */
    RowColumns(List<String> types, List<@Nullable Object @Nullable []> rows, List<String> ids) {
        @Nullable
        Object[] first = rows.stream().filter(Objects::nonNull).findFirst().orElseThrow();
        for (int column = 0; column < types.size(); column++) {
            String type = types.get(column);
            if (column > 0 && isSame(rows, column, first[column])) {
                values.add(first[column]);
                inserted.add("?::" + type);
            } else if (areIds(rows, column, ids)) {
                inserted.add("i");
            } else {
                add("c" + column, type, array(type, rows, column));
            }
        }
    }

    private void add(String name, String type, @Nullable Object[] array) {
        boolean isTime = type.equals(TIME);
        String arrayType = isTime ? NUMBER : type;
        names.append(", ").append(name);
        parameters.append(", ?::").append(arrayType).append("[]");
        inserted.add(isTime ? TIME + " 'epoch' + " + name + " * interval '1 microsecond'" : name);
        arrayTypes.add(arrayType);
        arrays.add(array);
    }

    private static boolean isSame(List<@Nullable Object @Nullable []> rows, int column, @Nullable Object value) {
        for (@Nullable Object[] row : rows) {
            if (row != null && !Objects.equals(value, row[column])) {
                return false;
            }
        }
        return true;
    }

    private static boolean areIds(List<@Nullable Object @Nullable []> rows, int column, List<String> ids) {
        for (int i = 0; i < ids.size(); i++) {
            @Nullable Object[] row = rows.get(i);
            if (row != null && !ids.get(i).equals(row[column])) {
                return false;
            }
        }
        return true;
    }

    /** The driver has a short form for numbers, and for texts that it knows to be texts. */
    private static @Nullable Object[] array(String type, List<@Nullable Object @Nullable []> rows, int column) {
        @Nullable
        Object[] array = switch (type) {
            case TIME, NUMBER -> new @Nullable Long[rows.size()];
            case "varchar" -> new @Nullable String[rows.size()];
            default -> new @Nullable Object[rows.size()];
        };
        for (int i = 0; i < array.length; i++) {
            @Nullable Object[] row = rows.get(i);
            Object value = row == null ? null : row[column];
            array[i] = value instanceof Instant time ? (Object) micros(time) : value;
        }
        return array;
    }

    /** As the driver rounds it. */
    private static long micros(Instant time) {
        return time.getEpochSecond() * MICROS_PER_SECOND + (time.getNano() + NANOS_PER_MICRO / 2) / NANOS_PER_MICRO;
    }

    /** Returns the names of the arrays, each behind a comma. */
    public String names() {
        return names.toString();
    }

    /** Returns the parameters of the arrays, each behind a comma. */
    public String parameters() {
        return parameters.toString();
    }

    /** Returns the expressions of all columns. The parameters in them are behind all arrays. */
    public String inserted() {
        return String.join(", ", inserted);
    }

    /** Sets the parameters that follow a number of others. */
    public void set(PreparedStatement statement, int others) throws SQLException {
        int last = others;
        for (int i = 0; i < arrays.size(); i++) {
            last++;
            statement.setArray(last, statement.getConnection().createArrayOf(arrayTypes.get(i), arrays.get(i)));
        }
        for (Object value : values) {
            last++;
            statement.setObject(last, DatabaseKind.POSTGRESQL.parameter(value));
        }
    }
}
