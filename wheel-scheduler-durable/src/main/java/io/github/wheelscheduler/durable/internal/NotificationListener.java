package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Receives notifications, on a connection and a thread of its own, until the node closes. */
final class NotificationListener implements Runnable {

    private static final int WAIT_MILLIS = 1_000;
    private static final long AGAIN_MILLIS = 1_000;
    private static final long FULL_MILLIS = 30_000;
    private static final long DEAF_MILLIS = 60_000;
    private static final long LONGEST_DEAF_MILLIS = 3_600_000;
    private static final int PROBE_SECONDS = 5;
    private static final long CHECK_SECONDS = 60;

    private static final @Nullable Driver DRIVER = Driver.find();

    private final Notifications owner;
    private final Database database;
    private final Driver driver;

    private long deafMillis = DEAF_MILLIS;

    private NotificationListener(Notifications owner, Database database, Driver driver) {
        this.owner = owner;
        this.database = database;
        this.driver = driver;
    }

    /** Returns one that has not begun to hear; null if the driver of the database is not that of PostgreSQL. */
    static @Nullable NotificationListener of(Notifications owner, Database database) {
        return DRIVER == null ? null : new NotificationListener(owner, database, DRIVER);
    }

    @Override
    public void run() {
        try {
            while (!owner.isDeaf()) {
                long pause = AGAIN_MILLIS;
                try {
                    pause = listenOnce();
                } catch (Throwable ex) {
                    // An error, too: the node is to be told again in the end.
                    LOGGER.debug(
                            "The connection for notifications of durable tasks failed; polling finds the tasks "
                                    + "until it is replaced",
                            ex);
                }
                boolean ignored = owner.deaf.await(pause, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException ex) {
            LOGGER.debug("Ended", ex);
        }
    }

    /**
     * Listens until the pool would miss the connection; returns after how many milliseconds it is to be tried again.
     */
    private long listenOnce() throws SQLException {
        try (Connection connection = database.connection()) {
            if (!connection.isWrapperFor(driver.connectionType())) {
                return giveUp("the connections are not of the driver org.postgresql, which receives notifications. "
                        + "Use that driver, or accept the delay");
            }
            if (!connection.getAutoCommit()) {
                connection.setAutoCommit(true);
            }
            try {
                return listenOn(connection);
            } finally {
                // The pool finds out here if the connection is no good any more.
                execute(connection, "unlisten *");
            }
        }
    }

    /** Says why nothing is heard, the first time; returns after how many milliseconds that may have changed. */
    private long giveUp(String why) {
        long millis = deafMillis;
        deafMillis = Math.min(LONGEST_DEAF_MILLIS, 2 * millis);
        if (millis == DEAF_MILLIS) {
            LOGGER.info("Durable tasks that other processes schedule to run at once are found by polling: " + why);
        }
        return millis;
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute(sql);
        }
    }

    private long listenOn(Connection connection) throws SQLException {
        long startNanos = System.nanoTime();
        execute(connection, "listen " + channel(connection));
        Object listening = connection.unwrap(driver.connectionType());
        Boolean hears = hearsItself(listening);
        if (hears == null) {
            return FULL_MILLIS;
        }
        if (!hears) {
            return giveUp("a notification of one connection does not arrive on another, as behind PgBouncer in "
                    + "transaction mode. Connect to PostgreSQL directly, or accept the delay");
        }
        deafMillis = DEAF_MILLIS;
        // What was told meanwhile is lost.
        owner.hear(Notifications.LOOK);
        Duration longest = database.longestKept();
        long heardNanos = System.nanoTime();
        while (!owner.isDeaf()
                && (longest.isZero()
                        || System.nanoTime() - startNanos < longest.dividedBy(2).toNanos())) {
            if (!hearSome(listening, wait(longest)).isEmpty()) {
                heardNanos = System.nanoTime();
            } else if (System.nanoTime() - heardNanos > TimeUnit.SECONDS.toNanos(CHECK_SECONDS)) {
                // No statement; a connection that has gone without a word is found.
                if (!connection.isValid(PROBE_SECONDS)) {
                    return AGAIN_MILLIS;
                }
                heardNanos = System.nanoTime();
            }
        }
        return 0;
    }

    private String channel(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(database.tables().sql().text("select " + Notifications.CHANNEL))) {
            boolean ignored = rows.next();
            return rows.getString(1);
        }
    }

    /** Whether what another connection tells is heard here; null if there is none now. */
    private @Nullable Boolean hearsItself(Object listening) {
        String probe = owner.probe() + " " + Long.toHexString(System.nanoTime());
        try {
            owner.send(List.of(probe));
        } catch (CannotGetJdbcConnectionException ex) {
            LOGGER.debug(
                    "The pool has no second free connection, which the check of notifications needs; polling "
                            + "finds the tasks",
                    ex);
            return null;
        }
        long startNanos = System.nanoTime();
        while (!owner.isDeaf() && System.nanoTime() - startNanos < TimeUnit.SECONDS.toNanos(PROBE_SECONDS)) {
            if (hearSome(listening, wait(database.longestKept())).contains(probe)) {
                return true;
            }
        }
        return owner.isDeaf();
    }

    /** Returns how many milliseconds to wait, so that a connection is given back before the pool misses it. */
    private static int wait(Duration longest) {
        return longest.isZero() ? WAIT_MILLIS : (int) Math.min(WAIT_MILLIS, longest.toMillis() / Notifications.QUARTER);
    }

    /** Waits for something, takes it in, and returns it. */
    private List<String> hearSome(Object listening, int millis) {
        List<String> texts = driver.await(listening, millis);
        texts.forEach(owner::hear);
        return texts;
    }

    /**
     * Waits for notifications by the driver of PostgreSQL, which may be missing.
     *
     * @param notifications waits for some, with a limit in milliseconds
     * @param text returns that of one
     */
    private record Driver(Class<?> connectionType, Method notifications, Method text) {

        private static final String FOLDER = "org.postgresql.";

        static @Nullable Driver find() {
            ClassLoader loader = NotificationListener.class.getClassLoader();
            if (!ClassUtils.isPresent(FOLDER + "PGConnection", loader)) {
                return null;
            }
            Class<?> connection = ClassUtils.resolveClassName(FOLDER + "PGConnection", loader);
            Class<?> notification = ClassUtils.resolveClassName(FOLDER + "PGNotification", loader);
            Method notifications = ClassUtils.getMethodIfAvailable(connection, "getNotifications", int.class);
            return notifications == null
                    ? null
                    : new Driver(connection, notifications, ClassUtils.getMethod(notification, "getParameter"));
        }

        List<String> await(Object connection, int millis) {
            List<String> texts = new ArrayList<>();
            if (ReflectionUtils.invokeMethod(notifications, connection, millis) instanceof Object[] some) {
                for (Object one : some) {
                    texts.add(String.valueOf(ReflectionUtils.invokeMethod(text, one)));
                }
            }
            return texts;
        }
    }
}
