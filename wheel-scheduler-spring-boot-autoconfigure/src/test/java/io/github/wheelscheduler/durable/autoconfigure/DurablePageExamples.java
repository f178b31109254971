package io.github.wheelscheduler.durable.autoconfigure;

import static java.time.temporal.ChronoUnit.DAYS;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.PayloadFormat;
import java.time.Instant;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.module.SimpleModule;

/** The examples of {@code docs/durable.md}, which only have to compile. */
final class DurablePageExamples {

    private final DurableTasks tasks;
    private final Mail mail;
    private final Ledger ledger;
    private final String url;

    DurablePageExamples(DurableTasks tasks, Mail mail, Ledger ledger, String url) {
        this.tasks = tasks;
        this.mail = mail;
        this.ledger = ledger;
        this.url = url;
    }

    @DurableHandler("invoice")
    void send(Invoice invoice) {
        mail.send(invoice);
    }

    void bill(Order order) {
        tasks.schedule("invoice", order.id(), new Invoice(order), Instant.now().plus(30, DAYS));
    }

    void billNow(Order order) {
        // wheel.scheduler.durable.enabled: false
        tasks.schedule("invoice", order.id(), new Invoice(order), Instant.now());
    }

    @Durable
    @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
    void closeTheDay() {
        ledger.close();
    }

    @Bean(defaultCandidate = false)
    @DurableDataSource
    DataSource tasksDataSource() {
        return DataSourceBuilder.create().url(url).build();
    }

    @Bean
    PayloadFormat payloadFormat() {
        return PayloadFormat.of(
                "shop-1",
                PayloadFormat.standard()
                        .mapper()
                        .rebuild()
                        .addModule(new MoneyModule())
                        .build());
    }

    @DurableHandler(value = "payment", transactional = true)
    void pay(Payment payment) {
        ledger.book(payment);
    }

    static final class MoneyModule extends SimpleModule {}

    record Order(String id) {}

    record Payment(Order order) {}

    record Invoice(Order order) {}

    interface Mail {
        void send(Invoice invoice);
    }

    interface Ledger {
        void close();

        void book(Payment payment);
    }
}
