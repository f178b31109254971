package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.observation.RunOrigin;
import org.jspecify.annotations.Nullable;

/**
 * A run that knows the span of the call that has asked for it. A class of its own, so that others have no room for it.
 */
final class LinkedRun extends SeriesRun {

    private final RunOrigin origin;

    LinkedRun(GuardedTask guard, int generation, TaskRules.@Nullable Pace pace, RunOrigin origin) {
        super(guard, generation, pace);
        this.origin = origin;
    }

    @Override
    public void run() {
        guard.run(generation, pace, origin);
    }
}
