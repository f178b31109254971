package io.github.wheelscheduler.test;

import static io.github.wheelscheduler.test.DurableAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DurableAssertionsTest {

    private static final Instant START = VirtualTime.DEFAULT_START;

    private final VirtualTime time = VirtualTime.create();
    private final HikariDataSource dataSource = TestDatabase.H2.newDataSource();
    private final VirtualNode node = new VirtualNode(time, "a", dataSource);
    private final DurableEngine tasks = node.engine;
    private final DurableRuns runs = DurableRuns.of(tasks);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void start() {
        node.handle("invoice", new RetryPolicy(1, Duration.ofHours(1), Duration.ofHours(1)), payload -> {
                    order.add(payload);
                    if (payload.equals("fails")) {
                        throw new IllegalStateException("always");
                    }
                })
                .handle("remind", RetryPolicy.DEFAULT, order::add)
                .start();
    }

    @AfterEach
    void close() {
        node.close();
        dataSource.close();
    }

    private void schedule(String handler, String id, String payload, Duration delay) {
        assertThat(tasks.schedule(handler, id, payload, START.plus(delay))).isTrue();
    }

    @Test
    void scheduledTaskIsFoundByItsParts() {
        assertThat(tasks).nothingScheduled();
        schedule("invoice", "1", "one", Duration.ofDays(1));
        schedule("invoice", "2", "two", Duration.ofDays(2));

        assertThat(tasks).scheduled("invoice").withId("2").dueAt(START.plus(Duration.ofDays(2)));
        assertThat(tasks).notScheduled("remind");
        assertThatThrownBy(
                        () -> assertThat(tasks).scheduled("invoice").withId("2").dueAt(START))
                .isInstanceOf(AssertionError.class)
                .hasMessage("A task of 'invoice' must be due at 2030-01-01T00:00:00Z, but none is; matching so far:"
                        + " [2 (SCHEDULED, due at 2030-01-03T00:00:00Z)]");
        assertThatThrownBy(() -> assertThat(tasks).scheduled("remind"))
                .hasMessage("A task of 'remind' must be scheduled, but none is; its tasks are: []; scheduled tasks:"
                        + " 'invoice' [1 (SCHEDULED, due at 2030-01-02T00:00:00Z),"
                        + " 2 (SCHEDULED, due at 2030-01-03T00:00:00Z)]. A task that is done has no row, but"
                        + " assertThat(runs).ran(...) knows of its run");
        assertThatThrownBy(() -> assertThat(runs).ran("invoice"))
                .hasMessage("A run of 'invoice' must have ended well, but none has; ended runs: []; scheduled"
                        + " tasks: 'invoice' [1 (SCHEDULED, due at 2030-01-02T00:00:00Z),"
                        + " 2 (SCHEDULED, due at 2030-01-03T00:00:00Z)]");
        assertThatThrownBy(() -> assertThat(tasks).nothingScheduled())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("No task of 'invoice' must be scheduled, but these are: [1 (");
    }

    @Test
    void limitNamesHandlersThatNoNodeHas() {
        DurableTime durable = new DurableTime(tasks, time, runs);
        schedule("invoice", "1", "one", Duration.ofDays(3));
        schedule("elsewhere", "1", "one", Duration.ofHours(1));

        assertThatThrownBy(() -> durable.runUntilIdle(Duration.ofDays(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("No one-time task must be scheduled any more within 24 h of virtual time after"
                        + " 2030-01-01T00:00:00Z, but that did not happen (there are tasks of [elsewhere, "
                        + "invoice]; no node has a"
                        + " handler of [elsewhere])");
    }

    @Test
    void scheduledHandlersAreAskedForAtOnce() {
        RecordedStatements recorded = new RecordedStatements(dataSource);
        try (VirtualNode other = new VirtualNode(time, "b", recorded)) {
            schedule("invoice", "1", "one", Duration.ofDays(3));
            schedule("elsewhere", "1", "one", Duration.ofHours(1));
            assertThat(other.engine.scheduledHandlers()).hasSize(2);
            recorded.start();

            assertThat(other.engine.scheduledHandlers()).containsExactly("elsewhere", "invoice");

            assertThat(recorded.all()).hasSize(1);
        }
    }

    @Test
    void endOfManyIsFoundWithoutReadingAllAgain() {
        int many = 100_000;
        DurableRuns.Search last = runs.firstOf("invoice", "" + (many - 1));
        for (int i = 0; i < many; i++) {
            assertThat(last.find()).isNull();
            runs.add(new DurableEnd(DurableEnd.Kind.DONE, "invoice", "" + i, 1, null, null, null));
        }
        assertThat(last.get().id()).isEqualTo("" + (many - 1));
        assertThat(runs.ends()).hasSize(many);
    }

    @Test
    void payloadIsComparedAsWrittenAndAsRead() {
        schedule("invoice", "1", "one", Duration.ofDays(1));
        assertThat(tasks.schedule("elsewhere", "1", List.of(1, 2), START)).isTrue();

        assertThat(tasks).scheduled("invoice").withId("1").payload("one");
        assertThat(tasks).scheduled("elsewhere").payload(List.of(1, 2));
        assertThatThrownBy(() -> assertThat(tasks).scheduled("elsewhere").payload(List.of(2, 1)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("A task of 'elsewhere' must have the payload [2, 1], but none has; the payloads of the"
                        + " matching tasks are: [1: [1, 2]]");
    }

    @Test
    void endsAreSeenByKindAndAttempt() {
        schedule("invoice", "1", "fails", Duration.ofDays(1));
        schedule("invoice", "2", "two", Duration.ofDays(1));
        assertThat(runs).nothingRan();

        time.advanceBy(Duration.ofDays(2));

        assertThat(runs).ran("invoice").withId("2").times(1);
        assertThat(runs).failed("invoice").withId("1").times(2).atAttempt(2).forGood();
        assertThat(tasks).failed("invoice").withId("1").afterFailures(2);
        assertThat(tasks).nothingScheduled();
        assertThatThrownBy(() -> assertThat(runs).ran("invoice").withId("1")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(runs).ran("remind")).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertThat(runs).nothingRan()).isInstanceOf(AssertionError.class);
    }

    @Test
    void runsOfABlockAreSeenApart() {
        schedule("invoice", "1", "one", Duration.ofDays(1));
        schedule("invoice", "2", "two", Duration.ofDays(3));
        time.advanceBy(Duration.ofDays(2));

        assertThat(runs.during(() -> {})).nothingRan();
        DurableRuns later = runs.during(() -> time.advanceBy(Duration.ofDays(2)));

        assertThat(later).ran("invoice").withId("2").times(1);
        assertThatThrownBy(() -> assertThat(later).ran("invoice").withId("1")).isInstanceOf(AssertionError.class);
    }

    @Test
    void taskThatIsTakenOverHasNotRun() {
        VirtualNode other = new VirtualNode(time, "b", dataSource);
        CountDownLatch isStarted = new CountDownLatch(1);
        other.handle("slow", RetryPolicy.DEFAULT, payload -> isStarted.countDown())
                .start();
        schedule("slow", "1", "one", Duration.ofMillis(500));
        schedule("slow", "0", "zero", Duration.ZERO);
        time.runCurrent();
        assertThat(isStarted.getCount()).isZero();
        assertThat(tasks.find("slow", "1").orElseThrow().state()).isEqualTo(DurableTask.State.CLAIMED);
        other.kill();

        DurableRuns ended = runs.during(() -> time.advanceBy(Duration.ofMinutes(10)));

        assertThat(ended.ends()).extracting(DurableEnd::kind).containsExactly(DurableEnd.Kind.TAKEN_OVER);
        assertThat(ended).nothingRan();
        assertThatThrownBy(() -> assertThat(ended).ran("slow")).isInstanceOf(AssertionError.class);
        assertThat(tasks).scheduled("slow").withId("1");
    }

    @Test
    void cancelBeforeRetryIsNoRun() {
        schedule("invoice", "1", "fails", Duration.ZERO);
        schedule("remind", "0", "zero", Duration.ofHours(1).minusMillis(500));
        time.advanceBy(Duration.ofHours(1).minusMillis(400));
        assertThat(tasks.find("invoice", "1").orElseThrow().state()).isEqualTo(DurableTask.State.CLAIMED);

        DurableRuns ended = runs.during(() -> {
            assertThat(tasks.cancel("invoice", "1", Duration.ofSeconds(10)))
                    .isEqualTo(DurableTasks.Cancellation.CANCELLED);
            time.runCurrent();
        });

        assertThat(ended.ends()).extracting(DurableEnd::attempt).containsExactly(1);
        assertThat(ended).nothingRan();
    }

    @Test
    void messagesHaveRunsAndFailuresOnly() {
        schedule("invoice", "1", "fails", Duration.ZERO);
        schedule("remind", "cancelled", "cancelled", Duration.ofDays(1));
        assertThat(tasks.cancel("remind", "cancelled")).isTrue();
        time.runCurrent();

        assertThat(runs.ends()).hasSize(2);
        assertThatThrownBy(() -> assertThat(runs).nothingRan())
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("No run must have ended, but these have: [")
                .hasMessageContaining("invoice")
                .hasMessageNotContaining("cancelled");
        assertThatThrownBy(() -> assertThat(runs).ran("remind"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("invoice")
                .hasMessageNotContaining("cancelled");
        assertThatThrownBy(() -> assertThat(tasks).scheduled("invoice").afterFailures(2))
                .isInstanceOf(AssertionError.class)
                .hasMessage("A task of 'invoice' must have failed 2 times, but none has; matching so far:"
                        + " [1 (SCHEDULED, due at 2030-01-01T01:00:00Z, failures: 1)]");
    }

    @Test
    void dueTasksRunInDueOrderWithoutRetries() {
        time.advanceBy(Duration.ofDays(1));
        for (int i : new int[] {5, 2, 8, 1, 9, 3}) {
            schedule("invoice", "" + i, "" + i, Duration.ofHours(i));
        }
        schedule("invoice", "0", "fails", Duration.ofMinutes(1));

        time.runCurrent();

        assertThat(order).containsExactly("fails", "1", "2", "3", "5", "8", "9");
        assertThat(tasks)
                .scheduled("invoice")
                .withId("0")
                .afterFailures(1)
                .dueAt(time.now().plus(Duration.ofHours(1)));
        time.advanceUntilIdle(Duration.ofHours(2));
        assertThat(tasks).nothingScheduled();
        assertThat(tasks).failed("invoice").withId("0");
    }
}
