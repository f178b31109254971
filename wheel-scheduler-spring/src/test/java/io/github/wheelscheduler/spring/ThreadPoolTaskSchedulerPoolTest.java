package io.github.wheelscheduler.spring;

import org.junit.jupiter.api.Tag;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring's own pool: what it does not keep is not the contract. */
@Tag("full")
class ThreadPoolTaskSchedulerPoolTest extends ScheduledPoolContract {

    ThreadPoolTaskSchedulerPoolTest() {
        super(new ThreadPoolTaskScheduler());
    }
}
