package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What became of the steering of several tasks.
 *
 * @param matched how many tasks were found
 * @param done how many of them were steered
 * @param refused how many were not
 * @param refusals the first of those, at most {@link TaskSteering#MOST_REFUSALS}
 */
public record SteeredTasksDescriptor(int matched, int done, int refused, List<Refusal> refusals)
        implements OperationResponseBody {

    /**
     * A task that was not steered.
     *
     * @param error why
     */
    public record Refusal(String id, String scheduler, String error) {}
}
