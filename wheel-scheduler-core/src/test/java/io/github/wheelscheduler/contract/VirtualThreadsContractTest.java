package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.core.task.VirtualThreadTaskExecutor;

@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsContractTest extends WheelSubject {

    @Override
    WheelScheduledExecutorBuilder builder() {
        return WheelScheduledExecutor.builder().threadPerRun(new VirtualThreadTaskExecutor().getVirtualThreadFactory());
    }
}
