package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.spring.TimerWheel;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The wheel of a program without {@code @EnableScheduling} lives in virtual time, too. */
@SpringBootTest(classes = TimerWheelInVirtualTimeTest.Application.class)
@AutoConfigureVirtualTime
class TimerWheelInVirtualTimeTest {

    @Autowired
    VirtualTime time;

    @Autowired
    Application application;

    @Autowired
    KeyedTimers<String, String> unpaid;

    @Test
    void hourPassesAtOnce() {
        String ignored = unpaid.set("4711", "an order", Duration.ofHours(1));
        time.advanceBy(Duration.ofMinutes(59));
        assertThat(application.expired).isEmpty();
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(application.expired).containsExactly("an order");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        final ConcurrentLinkedQueue<String> expired = new ConcurrentLinkedQueue<>();

        @Bean
        KeyedTimers<String, String> unpaid(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), (id, order) -> expired.add(order))
                    .build();
        }
    }
}
