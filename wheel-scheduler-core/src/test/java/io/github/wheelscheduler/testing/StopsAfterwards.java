package io.github.wheelscheduler.testing;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Stops after each test the executors that it has used, also when it has failed. */
public final class StopsAfterwards implements AfterEachCallback {

    private final Queue<ExecutorService> executors = new ConcurrentLinkedQueue<>();

    /** Returns the executor. */
    public <T extends ExecutorService> T use(T executor) {
        executors.add(executor);
        return executor;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        executors.forEach(ExecutorService::shutdownNow);
        executors.clear();
    }
}
