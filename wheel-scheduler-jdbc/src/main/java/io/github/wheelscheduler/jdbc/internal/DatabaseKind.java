package io.github.wheelscheduler.jdbc.internal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/** The words of databases that differ: times, types of parameters, and names of scripts. */
public enum DatabaseKind {
    POSTGRESQL("clock_timestamp()"),

    /** For one node. */
    H2("current_timestamp(9)"),

    /** Also for MySQL. Its times have no zone, and are those of UTC. */
    MARIADB("utc_timestamp(6)");

    public static final String SKIPPING_LOCKED = " for update skip locked";

    private static final DateTimeFormatter LITERAL = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd HH:mm:ss.SSSSSSSSS", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final int NANOS_BELOW_MICROS = 3;

    private static final TimeZone UTC = TimeZone.getTimeZone("UTC");

    private final String now;

    DatabaseKind(String now) {
        this.now = now;
    }

    /** Returns that of the product; null if it is unknown. */
    public static @Nullable DatabaseKind of(String product) {
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "H2" -> H2;
            case "MariaDB", "MySQL" -> MARIADB;
            default -> null;
        };
    }

    /** Returns the expression that is the time. */
    public String now() {
        return now;
    }

    /** Returns the expression that is some time, to the precision that the database keeps, and never later. */
    public String literal(Instant instant) {
        return switch (this) {
            case POSTGRESQL -> "timestamptz '" + micros(instant) + "+00'";
            case H2 -> "timestamp with time zone '" + LITERAL.format(instant) + "+00:00'";
            case MARIADB -> "timestamp '" + micros(instant) + "'";
        };
    }

    private static String micros(Instant instant) {
        String text = LITERAL.format(instant);
        return text.substring(0, text.length() - NANOS_BELOW_MICROS);
    }

    /** Returns what a parameter is for a time. */
    public Object time(Instant instant) {
        return this == MARIADB ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC) : instant.atOffset(ZoneOffset.UTC);
    }

    /** Returns what a parameter is for a value, which may be a time. */
    public @Nullable Object parameter(@Nullable Object value) {
        return value instanceof Instant instant ? time(instant) : value;
    }

    /** Reads a time. */
    @Nullable
    public Instant instant(ResultSet row, String column) throws SQLException {
        if (this == MARIADB) {
            // Its driver takes a LocalDateTime through the zone of the JVM, where some hour of the year does not exist.
            Timestamp time = row.getTimestamp(column, isoCalendar());
            return time == null ? null : time.toInstant();
        }
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** Returns one that counts years as the database does, in every locale, and before 1582. */
    @SuppressWarnings("JavaUtilDate") // a driver takes no other calendar
    private static Calendar isoCalendar() {
        GregorianCalendar calendar = new GregorianCalendar(UTC, Locale.ROOT);
        calendar.setGregorianChange(new Date(Long.MIN_VALUE));
        return calendar;
    }

    /** Returns the name of a script for this database. */
    public String script(String name) {
        return name + "-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /** Returns the expression that is a parameter of type text. */
    public String text() {
        return this == MARIADB ? "?" : "cast(? as varchar)";
    }

    /** Returns the expression that is a parameter of type time. */
    public String time() {
        return this == MARIADB ? "?" : "cast(? as timestamp with time zone)";
    }

    /** Returns so many question marks, with commas. */
    public static String placeholders(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }
}
