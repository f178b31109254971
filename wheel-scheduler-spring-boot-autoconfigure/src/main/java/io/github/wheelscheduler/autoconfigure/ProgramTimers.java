package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.idle.IdleTimeoutCounts;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimerCounts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseCounts;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Reads keyed timers, idle timeouts, leases and timers of Netty that are beans, where the modules are there that have
 * them. Their meters and the endpoint show what is read here. Any thread.
 */
public final class ProgramTimers {

    private static final boolean HAS_TIMERS = isPresent("io.github.wheelscheduler.keyed.KeyedTimers");
    private static final boolean HAS_NETTY =
            isPresent("io.github.wheelscheduler.netty.WheelNettyTimer") && isPresent("io.netty.util.Timer");

    private ProgramTimers() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ProgramTimers.class.getClassLoader());
    }

    /** Reads the counts of one bean. */
    public sealed interface Reading permits Timers, Leases {

        /** Returns the name of the bean. */
        String name();

        /** Returns the kind of timers, in one word. */
        String kind();
    }

    /**
     * The counts of timers.
     *
     * @param kind {@code keyed}, {@code idle} or {@code netty}
     * @param pending the number of pending timers
     * @param fired the number of timers that have fired
     * @param moved the number of times that a timer has been given another time
     * @param failed the number of handlers that have failed
     * @param lateness of all that have fired, together, since they have meters; zero without
     * @param meanLateness that of one of them; null if none is known
     */
    public record Timers(
            String name,
            String kind,
            long pending,
            long fired,
            long moved,
            long failed,
            Duration lateness,
            @Nullable Duration meanLateness)
            implements Reading {

        Timers(String name, String kind, long pending, long fired, long moved, long failed, Duration lateness) {
            this(
                    name,
                    kind,
                    pending,
                    fired,
                    moved,
                    failed,
                    lateness,
                    fired == 0 || lateness.isZero() ? null : lateness.dividedBy(fired));
        }
    }

    /**
     * The counts of leases.
     *
     * @param kind {@code lease}
     * @param kept the number of leases that are kept
     * @param renewed the number of renewals that have succeeded
     * @param failed the number of renewals that have failed
     * @param lost the number of leases that have been lost
     */
    public record Leases(String name, String kind, long kept, long renewed, long failed, long lost)
            implements Reading {}

    /** Reads all that have been made, also those of parent contexts, and makes none for that. */
    public static List<Reading> in(BeanFactory beanFactory) {
        Map<String, Reading> found = new LinkedHashMap<>();
        BeanFactory next = beanFactory;
        while (next instanceof ConfigurableListableBeanFactory context) {
            for (String name : context.getSingletonNames()) {
                // One that is being made has a name already.
                Object made = context.containsSingleton(name) ? context.getSingleton(name) : null;
                Object bean = made == null ? null : WheelSchedulers.unproxied(made);
                if (bean != null && are(bean)) {
                    Reading ignored = found.putIfAbsent(name, read(bean, name));
                }
            }
            next = context.getParentBeanFactory();
        }
        return List.copyOf(found.values());
    }

    /** Whether the bean is one of them. */
    static boolean are(Object bean) {
        return (HAS_TIMERS && OfPrograms.are(bean)) || (HAS_NETTY && OfNetty.are(bean));
    }

    /** Whether a declared type is one of them. */
    static boolean mayBe(Class<?> declared) {
        return (HAS_TIMERS && OfPrograms.mayBe(declared)) || (HAS_NETTY && OfNetty.mayBe(declared));
    }

    /** Reads one of them. */
    static Reading read(Object bean, String name) {
        return HAS_TIMERS && OfPrograms.are(bean) ? OfPrograms.read(bean, name) : OfNetty.read(bean, name);
    }

    /** Lets one of them measure its lateness from now on. */
    static void measureLateness(Object bean) {
        if (HAS_TIMERS && OfPrograms.are(bean)) {
            OfPrograms.measureLateness(bean);
        } else {
            OfNetty.measureLateness(bean);
        }
    }

    /** Is loaded only where the classes are there, as the one below. */
    private static final class OfPrograms {

        static boolean are(Object bean) {
            return bean instanceof KeyedTimers || bean instanceof IdleTimeouts || bean instanceof LeaseRenewer;
        }

        static boolean mayBe(Class<?> declared) {
            return KeyedTimers.class.isAssignableFrom(declared)
                    || IdleTimeouts.class.isAssignableFrom(declared)
                    || LeaseRenewer.class.isAssignableFrom(declared);
        }

        static Reading read(Object bean, String name) {
            if (bean instanceof KeyedTimers<?, ?> keyed) {
                KeyedTimerCounts counts = keyed.counts();
                return new Timers(
                        name,
                        "keyed",
                        counts.pending(),
                        counts.fired(),
                        keyed.moves(),
                        counts.failures(),
                        keyed.lateness());
            }
            if (bean instanceof IdleTimeouts<?> idle) {
                IdleTimeoutCounts counts = idle.counts();
                return new Timers(
                        name,
                        "idle",
                        counts.open(),
                        counts.expired(),
                        idle.moves(),
                        counts.failures(),
                        idle.lateness());
            }
            LeaseCounts counts = ((LeaseRenewer<?>) bean).counts();
            return new Leases(name, "lease", counts.kept(), counts.renewals(), counts.failures(), counts.lost());
        }

        static void measureLateness(Object bean) {
            if (bean instanceof KeyedTimers<?, ?> keyed) {
                keyed.measureLateness();
            } else if (bean instanceof IdleTimeouts<?> idle) {
                idle.measureLateness();
            }
        }
    }

    private static final class OfNetty {

        static boolean are(Object bean) {
            return bean instanceof WheelNettyTimer;
        }

        static boolean mayBe(Class<?> declared) {
            return WheelNettyTimer.class.isAssignableFrom(declared);
        }

        static Reading read(Object bean, String name) {
            WheelNettyTimer netty = (WheelNettyTimer) bean;
            return new Timers(
                    name,
                    "netty",
                    netty.pendingTimeouts(),
                    netty.expiredTimeouts(),
                    0,
                    netty.failedTasks(),
                    netty.lateness());
        }

        static void measureLateness(Object bean) {
            ((WheelNettyTimer) bean).measureLateness();
        }
    }
}
