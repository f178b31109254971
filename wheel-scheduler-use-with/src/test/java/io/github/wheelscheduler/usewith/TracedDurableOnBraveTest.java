package io.github.wheelscheduler.usewith;

import io.github.wheelscheduler.usewith.TracedApplication.Bridge;

class TracedDurableOnBraveTest extends TracedDurableContract {

    TracedDurableOnBraveTest() {
        super(Bridge.BRAVE);
    }
}
