package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

@SpringBootTest
@AutoConfigureVirtualTime(start = "2030-03-30T12:00:00Z", zone = "Europe/Berlin")
class TestingYourApplicationTest {

    @Autowired
    VirtualTime time;

    @Autowired
    CleanUp cleanUp;

    @Test
    void cleansUpEveryNight() {
        time.advanceBy(Duration.ofDays(7));

        assertThat(cleanUp.runs()).isEqualTo(7);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(CleanUp.class)
    static class Application {}

    static class CleanUp {

        private final AtomicInteger runs = new AtomicInteger();

        @Scheduled(cron = "0 0 3 * * *")
        void run() {
            runs.incrementAndGet();
        }

        int runs() {
            return runs.get();
        }
    }
}
