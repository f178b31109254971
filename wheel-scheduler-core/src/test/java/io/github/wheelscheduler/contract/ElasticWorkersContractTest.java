package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;

class ElasticWorkersContractTest extends WheelSubject {

    @Override
    WheelScheduledExecutorBuilder builder() {
        return WheelScheduledExecutor.builder();
    }
}
