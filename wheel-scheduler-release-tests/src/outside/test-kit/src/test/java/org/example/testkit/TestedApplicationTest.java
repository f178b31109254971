package org.example.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.test.AutoConfigureVirtualTime;
import io.github.wheelscheduler.test.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
@AutoConfigureVirtualTime
class TestedApplicationTest {

    @Autowired
    VirtualTime time;

    @Autowired
    AtomicInteger nights;

    @Test
    void weekHasSevenNights() {
        time.advanceBy(Duration.ofDays(7));
        assertThat(nights).hasValue(7);
    }
}
