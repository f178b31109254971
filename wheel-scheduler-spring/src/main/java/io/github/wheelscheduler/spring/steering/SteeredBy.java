package io.github.wheelscheduler.spring.steering;

import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Names the caller of steering in Java. Each {@link SteeringListener} receives the steering calls within {@link #run}
 * or {@link #call}, on that thread; it does not receive calls without a name.
 *
 * <pre>{@code
 * SteeredBy.name("release 12").because("the table is rebuilt").run(() -> tasks.pause("nightly"));
 * }</pre>
 */
public final class SteeredBy {

    private static final int LONGEST_NAME = 100;

    /** Of this thread. */
    private static final ThreadLocal<@Nullable SteeredBy> CURRENT = new ThreadLocal<>();

    private final String who;
    private final @Nullable String reason;

    private SteeredBy(String who, @Nullable String reason) {
        this.who = who;
        this.reason = reason;
    }

    /**
     * Names who steers.
     *
     * @throws IllegalArgumentException if the name is blank, or has more than 100 characters
     */
    public static SteeredBy name(String who) {
        return new SteeredBy(require("name", who, LONGEST_NAME), null);
    }

    /**
     * Says why.
     *
     * @throws IllegalArgumentException if the reason is blank, or has more than 200 characters
     */
    public SteeredBy because(String why) {
        return new SteeredBy(who, require("reason", why, Steering.LONGEST_REASON));
    }

    private static String require(String what, String text, int longest) {
        Objects.requireNonNull(text, what + " must not be null");
        if (text.isBlank()) {
            throw new IllegalArgumentException(what + " must not be blank, was '" + text + "'");
        }
        if (text.length() > longest) {
            throw new IllegalArgumentException(
                    what + " must have at most " + longest + " characters, had " + text.length());
        }
        return text;
    }

    /** Runs what steers. */
    public void run(Runnable steering) {
        SteeredBy before = CURRENT.get();
        CURRENT.set(this);
        try {
            steering.run();
        } finally {
            restore(before);
        }
    }

    /** Runs what steers, and returns its result. */
    public <T extends @Nullable Object> T call(Supplier<T> steering) {
        SteeredBy before = CURRENT.get();
        CURRENT.set(this);
        try {
            return steering.get();
        } finally {
            restore(before);
        }
    }

    private static void restore(@Nullable SteeredBy before) {
        if (before == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(before);
        }
    }

    /** Returns who steers on this thread; null if no name was given. */
    public static @Nullable SteeredBy current() {
        return CURRENT.get();
    }

    /** Returns the name. */
    public String who() {
        return who;
    }

    /** Returns why; null if no reason was given. */
    public @Nullable String reason() {
        return reason;
    }
}
