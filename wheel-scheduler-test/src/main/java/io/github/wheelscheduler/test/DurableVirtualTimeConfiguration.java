package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.DurableEngine;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** The beans for durable tasks that {@link AutoConfigureVirtualTime} adds, where their module is there. */
@Configuration(proxyBeanMethods = false)
class DurableVirtualTimeConfiguration {

    @Bean
    @Lazy
    DurableRuns durableRuns(DurableEngine engine, VirtualTime time) {
        DurableRuns runs = DurableRuns.of(engine);
        time.turn().atBegin(() -> {
            // An end of the test before may be on its way, as that of a task that it has cancelled last.
            time.settle();
            runs.begin();
        });
        return runs;
    }

    @Bean
    @Lazy
    DurableTime durableTime(DurableEngine engine, VirtualTime time, DurableRuns runs) {
        return new DurableTime(engine, time, runs);
    }

    /** From the beginning, where there is an engine. */
    @Bean
    static SmartInitializingSingleton durableRunsRecorder(
            ObjectProvider<DurableEngine> engines, ObjectProvider<DurableRuns> runs) {
        return () -> engines.ifUnique(engine -> runs.getObject().ends());
    }
}
