package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.time.Duration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;

/** A {@link Shop} with durable tasks: recurring ones, one that waits, one that has failed. */
@Configuration(proxyBeanMethods = false)
@Import(Shop.class)
public class DurableShop {

    private final DurableTasks tasks;

    DurableShop(DurableTasks tasks) {
        this.tasks = tasks;
    }

    @EventListener(ApplicationReadyEvent.class)
    void order() {
        boolean unused = tasks.schedule("invoice", "4711", "order 4711", Duration.ofHours(1))
                && tasks.schedule("delivery", "4712", "order 4712", Duration.ZERO);
    }

    @Durable("accounts.close")
    @Scheduled(cron = "0 0 1 * * *", zone = "Europe/Berlin")
    void closeAccounts() {}

    @DurableHandler("invoice")
    void sendInvoice(String order) {}

    @DurableHandler(value = "delivery", maxRetries = 0)
    void deliver(String order) {
        throw new IllegalStateException("No driver for " + order);
    }
}
