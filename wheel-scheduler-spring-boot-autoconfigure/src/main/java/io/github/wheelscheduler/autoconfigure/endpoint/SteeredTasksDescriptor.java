package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The outcome of steering several tasks.
 *
 * @param matched the number of tasks that were found
 * @param done the number of tasks that were steered
 * @param refused the number of tasks that were not
 * @param refusals the first of those, at most {@link TaskSteering#MOST_REFUSALS}
 */
public record SteeredTasksDescriptor(int matched, int done, int refused, List<Refusal> refusals)
        implements OperationResponseBody {

    /**
     * A task that was not steered.
     *
     * @param error the reason
     */
    public record Refusal(String id, String scheduler, String error) {}
}
