package io.github.wheelscheduler.durable.autoconfigure;

import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The handlers of durable tasks, and how many tasks each has. A number that is greater than {@code countedTo} means
 * more than that.
 *
 * @param now when they were counted, by the clock of this node
 * @param countedTo how far each number is counted
 * @param handlers by name
 * @param cut whether there are more handlers
 * @param manyClaimed whether the numbers of claimed tasks are too small, as nodes have claimed more rows than were read
 */
public record DurableHandlersDescriptor(
        Instant now, int countedTo, List<OfHandler> handlers, boolean cut, boolean manyClaimed)
        implements OperationResponseBody {

    /**
     * The number of tasks of a handler by state.
     *
     * @param scheduled how many one-time tasks wait for their time
     * @param claimed how many one-time tasks nodes have claimed
     * @param running how many runs go on on this node
     * @param failed how many one-time tasks have failed for good
     * @param unreadable how many one-time tasks no node could read so far
     * @param recurring how many recurring tasks were made for it at run time
     * @param unknown whether no node has the handler; false if that is not known
     */
    public record OfHandler(
            String handler,
            int scheduled,
            int claimed,
            int running,
            int failed,
            int unreadable,
            int recurring,
            boolean unknown) {}
}
