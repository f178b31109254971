package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers.printable;

import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.Steering.Channel;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.security.Principal;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Leaves one line for each steering over HTTP and JMX, refused ones too: who, what, and from what to what; and tells
 * each {@link SteeringListener} of the application. Any thread.
 */
public final class SteeringLog {

    private static final String STACK = "stack";

    private final Log log;
    private final ObjectProvider<SteeringListener> listeners;
    private final boolean requiresReason;

    /**
     * Makes one.
     *
     * @param log takes the lines, at the level info
     * @param listeners are looked for with each steering
     * @param requiresReason whether an action without a reason is refused
     */
    public SteeringLog(Log log, ObjectProvider<SteeringListener> listeners, boolean requiresReason) {
        this.log = log;
        this.listeners = listeners;
        this.requiresReason = requiresReason;
    }

    /**
     * A caller, and why it steers.
     *
     * @param channel the way it came
     * @param user the name of the user; null if unknown
     * @param reason as it was sent; null for none
     */
    public record Caller(
            Channel channel,
            @Nullable String user,
            @Nullable String reason) {

        /** Returns the caller over HTTP. */
        public static Caller overHttp(SecurityContext context, @Nullable String reason) {
            Principal user = context.getPrincipal();
            return new Caller(Channel.HTTP, user == null ? null : user.getName(), reasonOf(reason));
        }

        /** Returns the caller over JMX, which tells no name. */
        public static Caller overJmx(@Nullable String reason) {
            return new Caller(Channel.JMX, "JMX", reasonOf(reason));
        }

        private static @Nullable String reasonOf(@Nullable String sent) {
            return sent == null || sent.isBlank() ? null : printable(sent.strip());
        }

        /** Returns the name for a sentence. */
        String name() {
            return channel == Channel.JMX ? "an operator over JMX" : user == null ? "an unknown user" : user;
        }

        /** Returns the name and the way for the log. */
        public String inLog() {
            return channel == Channel.JMX ? "JMX" : name() + " over HTTP";
        }
    }

    /**
     * The outcome of a steering.
     *
     * @param answer to the caller
     * @param target that was steered, as it is known by now
     * @param from its state before, in a few words
     * @param to its state afterwards
     */
    public record Steered<T>(T answer, Target target, String from, String to) {}

    /**
     * Steers, logs that and reports it to the listeners. An exception or error of the steering is logged, reported and
     * rethrown.
     *
     * @param caller steers
     * @param action as it was asked for; null if it was left out
     * @param target as it was asked for
     * @param name of that for the log; empty if its kind says all
     * @throws IllegalArgumentException if a reason is required and none is given
     */
    public <T> T steer(
            Caller caller, @Nullable String action, Target target, String name, Supplier<Steered<T>> steering) {
        String what = "action " + printable(action == null ? "nothing" : action) + " on " + printable(target.kind())
                + (name.isEmpty() ? "" : " " + printable(name));
        Steered<T> steered;
        try {
            requireReason(caller, action);
            steered = NamedSteering.toldByCaller(steering);
        } catch (RuntimeException | Error ex) {
            String refusal = NamedSteering.refusalOf(ex);
            log.info("Steering by " + printable(caller.inLog()) + " was refused: " + what + "; cause: "
                    + printable(refusal));
            tell(caller, action, target, null, null, refusal);
            throw ex;
        }
        String why = caller.reason() == null ? "" : "; reason: " + caller.reason();
        log.info("Steering by " + printable(caller.inLog()) + ": " + what + "; before: " + printable(steered.from())
                + "; after: " + printable(steered.to()) + why);
        tell(caller, action, steered.target(), steered.from(), steered.to(), null);
        return steered.answer();
    }

    /** Returns the segments of a path as one name. */
    public static String nameOf(Object segments) {
        return segments instanceof String[] path ? String.join("/", path) : String.valueOf(segments);
    }

    /** Returns whether an action without a reason is refused. */
    boolean requiresReason() {
        return requiresReason;
    }

    private void requireReason(Caller caller, @Nullable String action) {
        if (requiresReason && caller.reason() == null && !STACK.equalsIgnoreCase(action)) {
            throw new IllegalArgumentException("reason must be given, as "
                    + WheelSchedulerEndpointProperties.REQUIRE_REASON + " is true, was nothing");
        }
    }

    /** Returns whether there is a listener; one whose bean cannot be created is found out when it is called. */
    boolean isHeard() {
        try {
            return listeners.stream().findAny().isPresent();
        } catch (RuntimeException ex) {
            return false;
        }
    }

    /**
     * Notifies the listeners of a steering. Throws no exception, also if a listener's bean cannot be created.
     *
     * @param refusal the reason why it was refused; null if it was done
     */
    void tell(
            Caller caller,
            @Nullable String action,
            Target target,
            @Nullable String from,
            @Nullable String to,
            @Nullable String refusal) {
        NamedSteering.tellAll(
                () -> listeners.orderedStream().toList(),
                () -> new Steering(
                        caller.channel(),
                        caller.user() == null ? null : printable(caller.user()),
                        action == null ? "" : printable(action),
                        refusal == null ? target : asSent(target),
                        from == null ? null : printable(from),
                        to == null ? null : printable(to),
                        caller.reason(),
                        refusal == null ? null : printable(refusal)));
    }

    /** Returns a target that need not exist, as a listener may log it. */
    private static Target asSent(Target target) {
        return new Target(
                target.kind(),
                printableOrNull(target.scheduler()),
                printableOrNull(target.task()),
                printableOrNull(target.instance()),
                printableOrNull(target.filter()));
    }

    private static @Nullable String printableOrNull(@Nullable String text) {
        return text == null ? null : printable(text);
    }
}
