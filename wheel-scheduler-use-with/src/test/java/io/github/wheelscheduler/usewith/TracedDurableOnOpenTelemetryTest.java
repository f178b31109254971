package io.github.wheelscheduler.usewith;

import io.github.wheelscheduler.usewith.TracedApplication.Bridge;

class TracedDurableOnOpenTelemetryTest extends TracedDurableContract {

    TracedDurableOnOpenTelemetryTest() {
        super(Bridge.OPEN_TELEMETRY);
    }
}
