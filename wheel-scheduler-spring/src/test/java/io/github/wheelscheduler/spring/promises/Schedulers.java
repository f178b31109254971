package io.github.wheelscheduler.spring.promises;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.JRE;

/** The kinds of workers that a promise holds for. */
enum Schedulers {
    PLATFORM_THREADS,
    VIRTUAL_THREADS;

    /** Returns the ones that this JDK has. */
    static Stream<Schedulers> available() {
        return Stream.of(values())
                .filter(kind -> kind == PLATFORM_THREADS || JRE.currentJre().version() >= 21);
    }

    /** Returns a scheduler with the defaults, started, with threads of that name. */
    WheelTaskScheduler start(String threadNamePrefix) {
        WheelTaskScheduler scheduler = create(threadNamePrefix);
        scheduler.initialize();
        return scheduler;
    }

    WheelTaskScheduler create(String threadNamePrefix) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setThreadNamePrefix(threadNamePrefix);
        scheduler.setVirtualThreads(this == VIRTUAL_THREADS);
        return scheduler;
    }
}
