package io.github.wheelscheduler.usewith;

import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import org.junit.jupiter.api.Tag;

@Tag("full")
class TracedDurableOnOpenTelemetryTest extends TracedDurableContract {

    TracedDurableOnOpenTelemetryTest() {
        super(Bridge.OPEN_TELEMETRY);
    }
}
