package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.TaskInfo;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The stacks of the runs of a task.
 *
 * @param threads the threads that run it
 */
public record StacksDescriptor(List<Stack> threads) implements OperationResponseBody {

    static StacksDescriptor of(List<TaskInfo.Stack> stacks) {
        return new StacksDescriptor(stacks.stream()
                .map(stack -> new Stack(stack.thread(), stack.state(), stack.trace()))
                .toList());
    }

    /**
     * One of them.
     *
     * @param name of the thread
     * @param trace its stack trace, in lines
     */
    public record Stack(String name, Thread.State state, String trace) {}
}
