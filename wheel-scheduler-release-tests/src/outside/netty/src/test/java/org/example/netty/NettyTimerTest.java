package org.example.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import io.netty.util.Timer;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class NettyTimerTest {

    @Test
    void timeoutExpiresWithoutSpring() throws InterruptedException {
        assertThatExceptionOfType(ClassNotFoundException.class)
                .isThrownBy(() -> Class.forName("org.springframework.core.SpringVersion"));
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        try {
            Timer timer = WheelNettyTimer.builder(executor).build();
            CountDownLatch expired = new CountDownLatch(1);
            timer.newTimeout(timeout -> expired.countDown(), 20, MILLISECONDS);
            assertThat(expired.await(30, SECONDS)).isTrue();
            assertThat(timer.stop()).isEmpty();
        } finally {
            executor.close();
        }
    }
}
