package io.github.wheelscheduler.spring;

class WheelTaskSchedulerPoolTest extends ScheduledPoolContract {

    WheelTaskSchedulerPoolTest() {
        super(new WheelTaskScheduler());
    }
}
