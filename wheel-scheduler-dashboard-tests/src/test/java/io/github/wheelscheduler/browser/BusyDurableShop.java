package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An application with failed durable tasks, more than are retried in one request, one that runs and one that waits. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class BusyDurableShop {

    static final int FAILED = 1_100;

    private static final CountDownLatch end = new CountDownLatch(1);

    private final DurableTasks tasks;
    private final RecurringTasks recurring;
    private final JdbcTemplate jdbc;

    BusyDurableShop(DurableTasks tasks, RecurringTasks recurring, JdbcTemplate jdbc) {
        this.tasks = tasks;
        this.recurring = recurring;
        this.jdbc = jdbc;
    }

    record Order(String customer, int items) {}

    static void release() {
        end.countDown();
    }

    @EventListener(ApplicationReadyEvent.class)
    void order() {
        boolean unused = tasks.schedule("invoice", "4711", new Order("Ada", 2), Instant.parse("2100-01-01T00:00:00Z"))
                && tasks.schedule("stocktaking", "hall-1", "hall 1", Duration.ZERO);
        RecurringTasks.Change unusedChange =
                recurring.schedule("invoice", "customer-7", TaskSchedule.cron("0 0 3 1 1 *"), new Order("Bob", 1));
        List<Object[]> rows = IntStream.range(0, FAILED)
                .mapToObj(i -> new Object[] {"%04d".formatted(i)})
                .toList();
        int[] ignored = jdbc.batchUpdate(
                "insert into wheel_durable_task (task_name, task_instance, execution_time, state, consecutive_failures,"
                        + " failure, last_failure) values ('delivery', ?, current_timestamp, 2, 3,"
                        + " 'java.lang.IllegalStateException: No driver', current_timestamp)",
                rows);
    }

    @Durable("closing")
    @Scheduled(cron = "0 0 4 1 1 *")
    void close() {}

    @DurableHandler("invoice")
    void sendInvoice(Order order) {}

    /** Goes on until it is interrupted. */
    @DurableHandler("stocktaking")
    void takeStock(String hall) throws InterruptedException {
        end.await();
    }
}
