package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Calendar;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times as the driver of MariaDB reads them. */
class DatabaseKindTest {

    /** Fills in the calendar that it is given, as that driver does. */
    private static ResultSet rowOfYear(int year) {
        return (ResultSet) Proxy.newProxyInstance(
                DatabaseKindTest.class.getClassLoader(),
                new Class<?>[] {ResultSet.class},
                (proxy, method, arguments) -> {
                    Calendar calendar = (Calendar) arguments[1];
                    calendar.clear();
                    calendar.set(year, Calendar.MARCH, 1, 12, 30, 0);
                    return new Timestamp(calendar.getTimeInMillis());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"en-US", "th-TH", "ja-JP-u-ca-japanese"})
    void timesAreThoseOfTheDatabaseInEachLocale(String tag) throws SQLException {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag(tag));
        try {
            assertThat(DatabaseKind.MARIADB.instant(rowOfYear(2026), "due"))
                    .isEqualTo(Instant.parse("2026-03-01T12:30:00Z"));
            assertThat(DatabaseKind.MARIADB.instant(rowOfYear(1500), "due"))
                    .isEqualTo(Instant.parse("1500-03-01T12:30:00Z"));
        } finally {
            Locale.setDefault(before);
        }
    }
}
