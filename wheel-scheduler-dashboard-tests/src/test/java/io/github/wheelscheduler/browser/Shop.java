package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.spring.WheelTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * An application with something to see: tasks that run often, fail, collide, take long, and rest until they are
 * steered.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class Shop {

    static final String RATES = "rates.refresh";
    static final String EXPORT = "catalogue.export";
    static final String SYNC = "warehouse.sync";
    static final String INVOICES = "invoices.send";
    static final String PRICES = "prices.recalculate";

    private static final AtomicInteger refreshes = new AtomicInteger();
    private static final AtomicInteger interrupts = new AtomicInteger();

    static int refreshes() {
        return refreshes.get();
    }

    static int interrupts() {
        return interrupts.get();
    }

    @WheelTask("orders.import")
    @Scheduled(fixedRate = 1_000)
    void importOrders() throws InterruptedException {
        Thread.sleep(30);
    }

    @WheelTask(SYNC)
    @Scheduled(fixedDelay = 1_000)
    void syncWarehouse() {
        throw new IllegalStateException("The warehouse does not answer");
    }

    /** Takes longer than it is from one run to the next. */
    @WheelTask(PRICES)
    @Scheduled(fixedRate = 500, scheduler = "reports")
    void recalculatePrices() throws InterruptedException {
        Thread.sleep(700);
    }

    @WheelTask("stock.count")
    @Scheduled(cron = "0 */15 * * * *", zone = "Europe/Berlin")
    void countStock() {}

    @WheelTask(INVOICES)
    @Scheduled(cron = "0 0 9 * * MON-FRI", zone = "Europe/Berlin")
    void sendInvoices() {}

    @WheelTask("reports.nightly")
    @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin", scheduler = "reports")
    void writeReport() {}

    @WheelTask("sessions.cleanup")
    @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
    void cleanUp() {}

    @WheelTask("backup")
    @Scheduled(cron = "0 0 3 * * SUN", zone = "Europe/Berlin")
    void backUp() {}

    @WheelTask(id = RATES, timeLimit = "10s")
    @Scheduled(fixedRate = 3_600_000, initialDelay = 3_600_000)
    void refreshRates() {
        refreshes.incrementAndGet();
    }

    /** Goes on until it is interrupted. */
    @WheelTask(EXPORT)
    @Scheduled(fixedRate = 7_200_000, initialDelay = 7_200_000)
    void exportCatalogue() throws InterruptedException {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException ex) {
            interrupts.incrementAndGet();
            throw ex;
        }
    }
}
