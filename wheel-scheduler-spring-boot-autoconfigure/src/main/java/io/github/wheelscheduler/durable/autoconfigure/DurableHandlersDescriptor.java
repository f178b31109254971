package io.github.wheelscheduler.durable.autoconfigure;

import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The handlers of durable tasks, and the number of tasks of each. A number that is greater than {@code countedTo} means
 * more than that.
 *
 * @param now the time when they were counted, by the clock of this node
 * @param countedTo the bound to which each number is counted
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
     * @param scheduled the number of one-time tasks that wait for their time
     * @param claimed the number of one-time tasks that nodes have claimed
     * @param running the number of runs that are active on this node
     * @param failed the number of one-time tasks that have failed permanently
     * @param unreadable the number of one-time tasks that no node could read so far
     * @param recurring the number of recurring tasks that were made for it at run time
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
