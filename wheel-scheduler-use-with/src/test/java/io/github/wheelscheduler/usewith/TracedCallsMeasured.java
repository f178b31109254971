package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.micrometer.tracing.Tracer;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What tracing costs a call that schedules a one-time timer for a minute ahead, and cancels it. No build runs it:
 *
 * <pre>{@code
 * mvn -B test -pl wheel-scheduler-use-with -am -Dtest=TracedCallsMeasured -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 */
class TracedCallsMeasured {

    private static final int CALLS = Integer.getInteger("measured.calls", 200_000);
    private static final int ROUNDS = Integer.getInteger("measured.rounds", 15);
    private static final int WARMING = 5;

    /** Which costs are measured, in a JVM that plays no others: an application observes, or it does not. */
    private static final List<String> WHICH =
            List.of(System.getProperty("measured.which", "without,beside,none,inside,looks")
                    .split(","));

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Keeps the compiler from leaving out the look. */
    private static int looks;

    /** The nanoseconds and bytes of one call. */
    private record Cost(double nanos, double bytes) {

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.1f ns, %.1f bytes", nanos, bytes);
        }
    }

    private Cost measure(Runnable call) {
        long thread = Thread.currentThread().getId();
        long bytes = threads.getThreadAllocatedBytes(thread);
        long begun = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            call.run();
        }
        long nanos = System.nanoTime() - begun;
        return new Cost(nanos / (double) CALLS, (threads.getThreadAllocatedBytes(thread) - bytes) / (double) CALLS);
    }

    private void add(List<Cost> costs, String which, Runnable call) {
        if (WHICH.contains(which)) {
            costs.add(measure(call));
        }
    }

    private static void print(String what, List<Cost> costs) {
        if (!costs.isEmpty()) {
            System.out.println("> " + what + median(costs));
        }
    }

    private static Cost median(List<Cost> rounds) {
        List<Cost> counted = rounds.subList(WARMING, rounds.size());
        return new Cost(
                counted.stream().mapToDouble(Cost::nanos).sorted().toArray()[counted.size() / 2],
                counted.stream().mapToDouble(Cost::bytes).sorted().toArray()[counted.size() / 2]);
    }

    @ParameterizedTest
    @EnumSource
    void scheduleAndCancel(Bridge bridge) {
        try (TracedApplication in = TracedApplication.durable(
                bridge, List.of(), "database=t" + UUID.randomUUID(), "wheel.scheduler.observe=all")) {
            WheelTaskScheduler scheduler = in.scheduler();
            WheelRunObservation observation = in.bean(WheelRunObservation.class);
            Tracer tracer = in.bean(Tracer.class);
            Runnable task = () -> {};
            Instant later = Instant.now().plusSeconds(3_600);
            Runnable call = () -> {
                Future<?> timer = scheduler.schedule(task, later);
                boolean ignored = timer.cancel(false);
            };
            Runnable look = () -> looks += tracer.currentTraceContext().context() == null ? 0 : 1;
            // A look beside a call costs more than in a loop of its own, whose code and data stay at hand.
            Runnable lookAndCall = () -> {
                look.run();
                call.run();
            };
            List<Cost> without = new ArrayList<>();
            List<Cost> beside = new ArrayList<>();
            List<Cost> none = new ArrayList<>();
            List<Cost> lookForNone = new ArrayList<>();
            Supplier<@Nullable RunOrigin> origins = Objects.requireNonNull(observation.origins());
            List<Cost> looksOfBridge = new ArrayList<>();
            List<Cost> looksOfScheduler = new ArrayList<>();
            List<Cost> inside = new ArrayList<>();
            List<Cost> lookInside = new ArrayList<>();
            for (int round = 0; round < WARMING + ROUNDS; round++) {
                scheduler.setRunObservation(null);
                add(without, "without", call);
                add(beside, "beside", lookAndCall);
                scheduler.setRunObservation(observation);
                add(none, "none", call);
                add(lookForNone, "none", look);
                add(looksOfBridge, "looks", look);
                add(looksOfScheduler, "looks", () -> looks += origins.get() == null ? 0 : 1);
                in.request(() -> {
                    add(inside, "inside", call);
                    add(lookInside, "inside", look);
                });
            }
            print(bridge + ": a call without observation ", without);
            print(bridge + ": the same after the bridge's look ", beside);
            print(bridge + ": with all, no span current ", none);
            print(bridge + ": the bridge's look, no span current ", lookForNone);
            print(bridge + ": the bridge's look in turns with ours, no span current ", looksOfBridge);
            print(bridge + ": our look, no span current ", looksOfScheduler);
            print(bridge + ": with all, a span current ", inside);
            print(bridge + ": the bridge's look, a span current ", lookInside);
            assertThat(looks).isNotNegative();
        }
    }
}
