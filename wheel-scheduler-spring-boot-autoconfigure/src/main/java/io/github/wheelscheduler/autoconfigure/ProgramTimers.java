package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.metrics.TimerMetrics;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import org.springframework.util.ClassUtils;

/** Keyed timers, idle timeouts, leases and timers of Netty that are beans, where the modules are there that have them. */
final class ProgramTimers {

    private static final boolean HAS_TIMERS = isPresent("io.github.wheelscheduler.keyed.KeyedTimers");
    private static final boolean HAS_NETTY =
            isPresent("io.github.wheelscheduler.netty.WheelNettyTimer") && isPresent("io.netty.util.Timer");

    private ProgramTimers() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ProgramTimers.class.getClassLoader());
    }

    /** Whether the bean is one of them. */
    static boolean are(Object bean) {
        return (HAS_TIMERS && OfPrograms.are(bean)) || (HAS_NETTY && OfNetty.are(bean));
    }

    /** Returns the meters of one of them, which measures its lateness from now on. */
    static TimerMetrics metersOf(Object bean, String name) {
        return HAS_TIMERS && OfPrograms.are(bean) ? OfPrograms.metersOf(bean, name) : OfNetty.metersOf(bean, name);
    }

    /** Is loaded only where the classes are there, as the one below. */
    private static final class OfPrograms {

        static boolean are(Object bean) {
            return bean instanceof KeyedTimers || bean instanceof IdleTimeouts || bean instanceof LeaseRenewer;
        }

        static TimerMetrics metersOf(Object bean, String name) {
            if (bean instanceof KeyedTimers<?, ?> keyed) {
                keyed.measureLateness();
                return TimerMetrics.<KeyedTimers<?, ?>>ofTimers(
                        "keyed",
                        name,
                        keyed,
                        KeyedTimers::size,
                        timers -> timers.counts().fired(),
                        KeyedTimers::moves,
                        timers -> timers.counts().failures(),
                        KeyedTimers::lateness);
            }
            if (bean instanceof IdleTimeouts<?> idle) {
                idle.measureLateness();
                return TimerMetrics.<IdleTimeouts<?>>ofTimers(
                        "idle",
                        name,
                        idle,
                        IdleTimeouts::size,
                        timeouts -> timeouts.counts().expired(),
                        IdleTimeouts::moves,
                        timeouts -> timeouts.counts().failures(),
                        IdleTimeouts::lateness);
            }
            return TimerMetrics.<LeaseRenewer<?>>ofLeases(
                    name,
                    (LeaseRenewer<?>) bean,
                    leases -> leases.counts().kept(),
                    leases -> leases.counts().renewals(),
                    leases -> leases.counts().failures(),
                    leases -> leases.counts().lost());
        }
    }

    private static final class OfNetty {

        static boolean are(Object bean) {
            return bean instanceof WheelNettyTimer;
        }

        static TimerMetrics metersOf(Object bean, String name) {
            WheelNettyTimer netty = (WheelNettyTimer) bean;
            netty.measureLateness();
            return TimerMetrics.ofTimers(
                    "netty",
                    name,
                    netty,
                    WheelNettyTimer::pendingTimeouts,
                    WheelNettyTimer::expiredTimeouts,
                    timer -> 0,
                    WheelNettyTimer::failedTasks,
                    WheelNettyTimer::lateness);
        }
    }
}
