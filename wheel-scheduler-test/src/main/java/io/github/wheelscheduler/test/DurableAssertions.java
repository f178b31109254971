package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.DurableTasks;

/**
 * Assertions on durable tasks, for a static import beside that of AssertJ, which they need.
 *
 * <pre>{@code
 * assertThat(tasks).scheduled("remind").withId("42").dueAt(Instant.parse("2030-01-31T00:00:00Z"));
 * time.advanceBy(Duration.ofDays(31));
 * assertThat(runs).ran("remind").withId("42");
 * assertThat(tasks).nothingScheduled();
 * }</pre>
 */
public final class DurableAssertions {

    private DurableAssertions() {}

    /** Begins assertions on the rows of tasks, as the thread of the test sees them. */
    public static DurableTasksAssert assertThat(DurableTasks actual) {
        return new DurableTasksAssert(actual);
    }

    /** Begins assertions on runs that have ended. */
    public static DurableRunsAssert assertThat(DurableRuns actual) {
        return new DurableRunsAssert(actual);
    }
}
