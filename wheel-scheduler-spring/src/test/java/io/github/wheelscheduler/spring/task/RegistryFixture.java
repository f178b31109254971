package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A scheduler that runs during a test, and the registry of its tasks. */
abstract class RegistryFixture {

    final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    final TaskRegistry registry = scheduler.getTaskRegistry();

    @BeforeEach
    void initialize() {
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }
}
