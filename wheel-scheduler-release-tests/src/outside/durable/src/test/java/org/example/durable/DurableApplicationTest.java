package org.example.durable;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest
class DurableApplicationTest {

    @Autowired
    DurableTasks tasks;

    @Autowired
    BlockingQueue<String> greeted;

    @Test
    void durableTaskRuns() throws InterruptedException {
        assertThat(tasks.schedule("greeting", "4711", "World", Duration.ofMillis(200)))
                .isTrue();
        assertThat(greeted.poll(30, SECONDS)).isEqualTo("World");
    }
}
