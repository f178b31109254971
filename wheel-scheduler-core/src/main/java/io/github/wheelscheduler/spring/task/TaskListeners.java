package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.NamedTask;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Those who are told of tasks; what they throw is logged once, and goes no further. Any thread. */
final class TaskListeners {

    private static final Log logger = LogFactory.getLog(TaskListeners.class);

    private final List<TaskListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean failed = new AtomicBoolean();

    void add(TaskListener listener) {
        listeners.add(listener);
    }

    void remove(TaskListener listener) {
        boolean ignored = listeners.remove(listener);
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Does not fail, also when memory is short; then somebody may not hear of it. */
    void tell(Consumer<TaskListener> news) {
        try {
            for (TaskListener listener : listeners) {
                tell(listener, news);
            }
        } catch (OutOfMemoryError ex) {
            // There is not even memory to look through the list.
        }
    }

    void tell(TaskListener listener, Consumer<TaskListener> news) {
        try {
            news.accept(listener);
        } catch (Throwable ex) {
            if (failed.compareAndSet(false, true)) {
                warn(listener, ex);
            }
        }
    }

    private static void warn(TaskListener listener, Throwable failure) {
        try {
            logger.warn(
                    "A task listener failed; tasks go on, and this is said once: " + NamedTask.of(listener), failure);
        } catch (Throwable ex) {
            // There is nobody left to tell.
        }
    }
}
