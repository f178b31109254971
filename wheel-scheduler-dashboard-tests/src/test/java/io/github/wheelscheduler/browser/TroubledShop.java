package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.spring.WheelTask;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application in trouble: a recurring durable task that fails, a run that ignores interrupts, and failed one-time
 * tasks.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class TroubledShop {

    static final String LEDGER = "ledger.sync";
    static final String STUBBORN = "stubborn.export";
    static final String NIGHTLY = "nightly.report";

    private static final CountDownLatch end = new CountDownLatch(1);

    private final DurableTasks tasks;

    TroubledShop(DurableTasks tasks) {
        this.tasks = tasks;
    }

    static void release() {
        end.countDown();
    }

    @EventListener(ApplicationReadyEvent.class)
    void order() {
        boolean unused = tasks.schedule("delivery", "4712", "order 4712", Duration.ZERO)
                && tasks.schedule("stocktaking", "hall-1", "hall 1", Duration.ZERO);
    }

    @Durable(LEDGER)
    @Scheduled(fixedRate = 500)
    void syncLedger() {
        throw new IllegalStateException("The bank does not answer");
    }

    @DurableHandler(value = "delivery", maxRetries = 0)
    void deliver(String order) {
        throw new IllegalStateException("No driver for " + order);
    }

    /** Goes on until the end. */
    @DurableHandler("stocktaking")
    void takeStock(String hall) {
        awaitEnd();
    }

    /** Goes on until the end, however often it is interrupted. */
    @WheelTask(STUBBORN)
    @Scheduled(fixedRate = 7_200_000, initialDelay = 7_200_000)
    void export() {
        awaitEnd();
    }

    @WheelTask(NIGHTLY)
    @Scheduled(cron = "0 30 2 * * *", zone = "America/New_York")
    void report() {}

    private static void awaitEnd() {
        boolean isInterrupted;
        do {
            isInterrupted = false;
            try {
                end.await();
            } catch (InterruptedException ex) {
                isInterrupted = true;
            }
        } while (isInterrupted);
    }
}
