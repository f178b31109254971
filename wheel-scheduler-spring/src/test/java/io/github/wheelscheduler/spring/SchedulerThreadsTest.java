package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Caller;
import io.github.wheelscheduler.testing.Gate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose settings the threads of a scheduler have: its own, and never those of the first caller. */
class SchedulerThreadsTest {

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final Gate gate = new Gate();

    @AfterEach
    void shutdown() {
        gate.open();
        scheduler.shutdown();
    }

    static Stream<Caller> callers() {
        return Stream.of(Caller.values()).filter(Caller::isAvailable);
    }

    @ParameterizedTest
    @MethodSource("callers")
    void threadsFollowTheThreadThatInitializedTheScheduler(Caller caller) {
        assertThat(threadsAfterACallOf(caller, "platform-")).hasSizeGreaterThanOrEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("callers")
    @EnabledForJreRange(minVersion = 21, disabledReason = "the JDK has no virtual threads")
    void tickThreadAndFeederAreSoOnVirtualThreadsToo(Caller caller) {
        scheduler.setVirtualThreads(true);
        assertThat(threadsAfterACallOf(caller, "carried-")).isNotEmpty();
    }

    @Test
    void eachThreadThatRunsNoTaskHasANameOfItsOwn() {
        assertThat(threadsAfter(Caller.DAEMON, "named-", () -> {
                    // Not due yet when it is scheduled, or the caller would start the first worker.
                    ScheduledFuture<?> ignored =
                            scheduler.schedule(gate, Instant.now().plusMillis(500));
                }))
                .extracting(Thread::getName)
                .contains("named-tick", "named-starter")
                .doesNotHaveDuplicates();
    }

    @Test
    @EnabledForJreRange(minVersion = 21, disabledReason = "the JDK has no virtual threads")
    void threadsThatRunNoTaskHaveNamesBesideVirtualThreads() {
        scheduler.setVirtualThreads(true);
        assertThat(threadsAfterACallOf(Caller.DAEMON, "named-"))
                .extracting(Thread::getName)
                .containsExactlyInAnyOrder("named-tick", "named-feeder");
    }

    private List<Thread> threadsAfterACallOf(Caller caller, String prefix) {
        return threadsAfter(caller, prefix, () -> scheduler.execute(gate));
    }

    private List<Thread> threadsAfter(Caller caller, String prefix, Runnable call) {
        scheduler.setThreadNamePrefix(prefix);
        scheduler.initialize();
        boolean ignored = caller.call(() -> {
            call.run();
            return true;
        });
        gate.awaitArrivals(1);
        List<Thread> threads = threads(prefix);
        assertThat(threads).allSatisfy(thread -> {
            assertThat(thread.isDaemon()).isFalse();
            assertThat(thread.getPriority()).isEqualTo(Thread.NORM_PRIORITY);
            assertThat(thread.getThreadGroup()).isSameAs(Thread.currentThread().getThreadGroup());
        });
        return threads;
    }

    /** Virtual threads are not among these. */
    private static List<Thread> threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void runThatSomebodyAskedForInheritsNothingFromWhoAsked(boolean virtual) {
        assumeTrue(!virtual || Caller.VIRTUAL.isAvailable(), "the JDK has no virtual threads");
        scheduler.setVirtualThreads(virtual);
        scheduler.initialize();
        InheritableThreadLocal<String> who = new InheritableThreadLocal<>();
        List<String> seen = new CopyOnWriteArrayList<>();
        TaskRegistry tasks = scheduler.getTaskRegistry();
        ScheduledFuture<?> ignored =
                tasks.schedule("task", () -> seen.add(String.valueOf(who.get())), TaskSchedule.cron("0 0 0 1 1 *"));
        who.set("operator");
        try {
            tasks.trigger("task");
            awaitThat(() -> seen.size() == 1);
            tasks.retime("task", TaskSchedule.fixedDelay(Duration.ofMillis(1)));
            awaitThat(() -> seen.size() >= 3);
        } finally {
            who.remove();
        }
        assertThat(seen).containsOnly("null");
    }

    @Test
    void threadsCanBeCreatedBeforeTheSchedulerIsInitialized() {
        Thread thread = scheduler.createThread(gate);
        assertThat(thread.isDaemon()).isFalse();
        assertThat(thread.getThreadGroup()).isSameAs(Thread.currentThread().getThreadGroup());
    }
}
