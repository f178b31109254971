package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.printable;

import java.security.Principal;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** Leaves one line for each steering over HTTP and JMX, refused ones too: who, what, and from what to what. Any thread. */
public final class SteeringLog {

    /** The name of a caller over JMX, which tells no other. */
    public static final String JMX = "JMX";

    private static final String OVER_HTTP = " over HTTP";

    private final Log log;

    /**
     * Makes one.
     *
     * @param log takes the lines, at the level info
     */
    public SteeringLog(Log log) {
        this.log = log;
    }

    /**
     * The outcome of a steering.
     *
     * @param answer to the caller
     * @param from how it was before, in a few words
     * @param to how it is then
     */
    public record Steered<T>(T answer, String from, String to) {}

    /** Returns who steers over HTTP. */
    public static String userOf(SecurityContext context) {
        Principal user = context.getPrincipal();
        return (user == null ? "an unknown user" : user.getName()) + OVER_HTTP;
    }

    /** Returns the name of who steers for a sentence. */
    static String nameOf(String who) {
        if (who.equals(JMX)) {
            return "an operator over JMX";
        }
        return who.endsWith(OVER_HTTP) ? who.substring(0, who.length() - OVER_HTTP.length()) : who;
    }

    /**
     * Steers, and logs that. An exception of the steering is logged and thrown on.
     *
     * @param who steers
     * @param action as it was asked for; null if it was left out
     * @param kind task, scheduler or the like
     * @param name of that, as it was asked for; the segments of a path
     */
    public <T> T steer(String who, @Nullable String action, String kind, Object name, Supplier<Steered<T>> steering) {
        String named = name instanceof String[] segments ? String.join("/", segments) : String.valueOf(name);
        String what = printable(action == null ? "nothing" : action) + " of " + printable(kind)
                + (named.isEmpty() ? "" : " " + printable(named));
        try {
            Steered<T> steered = steering.get();
            log.info("Steering by " + printable(who) + ": " + what + ", from " + printable(steered.from()) + " to "
                    + printable(steered.to()));
            return steered.answer();
        } catch (RuntimeException ex) {
            log.info("Steering by " + printable(who) + " was refused: " + what + ", as "
                    + printable(String.valueOf(ex.getMessage())));
            throw ex;
        }
    }
}
