package io.github.wheelscheduler.benchmarks.application;

import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** One task of each kind. The first is due at once. */
@Component
class HourlyTasks {

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    void atRate() {}

    @Scheduled(fixedDelay = 1, initialDelay = 1, timeUnit = TimeUnit.HOURS)
    void withDelay() {}

    @Scheduled(cron = "0 0 3 * * *")
    void atThree() {}
}
