package io.github.wheelscheduler.durable.autoconfigure;

import static java.time.temporal.ChronoUnit.DAYS;
import static java.time.temporal.ChronoUnit.HOURS;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRequest;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.module.SimpleModule;

/** The examples of {@code docs/durable.md} and the pages that it lists, which only have to compile. */
final class DurablePageExamples {

    private final DurableTasks tasks;
    private final RecurringTasks recurring;
    private final Mail mail;
    private final Ledger ledger;
    private final Carrier carrier;
    private final String url;

    DurablePageExamples(
            DurableTasks tasks, RecurringTasks recurring, Mail mail, Ledger ledger, Carrier carrier, String url) {
        this.tasks = tasks;
        this.recurring = recurring;
        this.mail = mail;
        this.ledger = ledger;
        this.carrier = carrier;
        this.url = url;
    }

    @DurableHandler("invoice")
    void send(Invoice invoice) {
        mail.send(invoice);
    }

    void bill(Order order) {
        tasks.schedule("invoice", order.id(), new Invoice(order), Instant.now().plus(30, DAYS));
    }

    void billPatiently(Order order) {
        tasks.schedule(
                "invoice",
                new DurableRequest(
                        order.id(),
                        new Invoice(order),
                        Instant.now(),
                        new RetryPolicy(3, Duration.ofMinutes(1), Duration.ofHours(1))));
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

    @DurableHandler("report")
    void report(Customer customer) {
        mail.send(customer.report());
    }

    void reportForAWhile(Customer customer) {
        recurring.schedule("report", customer.id(), TaskSchedule.cron("0 0 7 * * MON-FRI", customer.zone()), customer);
        recurring.end(customer.id());
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

    @DurableHandler(value = "shipment", noRetryFor = UnknownAddress.class)
    DurableOutcome track(Shipment shipment) throws UnknownAddress {
        return switch (carrier.stateOf(shipment)) {
            case ARRIVED -> DurableOutcome.done();
            case ON_ITS_WAY -> DurableOutcome.again(Instant.now().plus(1, HOURS));
            case LOST -> DurableOutcome.giveUp("The carrier has lost it");
        };
    }

    @Bean
    DurableListener compensation() {
        return end -> {
            if (end.kind() == DurableEnd.Kind.GIVEN_UP && end.handler().equals("shipment")) {
                tasks.schedule("refund", end.id(), null, Instant.now());
            }
        };
    }

    @DurableHandler(value = "payment", transactional = true)
    void pay(Payment payment) {
        ledger.book(payment);
    }

    static final class MoneyModule extends SimpleModule {}

    @SuppressWarnings("serial")
    static final class UnknownAddress extends Exception {}

    record Shipment(String number) {}

    enum ShipmentState {
        ARRIVED,
        ON_ITS_WAY,
        LOST
    }

    interface Carrier {
        ShipmentState stateOf(Shipment shipment) throws UnknownAddress;
    }

    record Order(String id) {}

    record Payment(Order order) {}

    record Customer(String id, ZoneId zone) {

        Invoice report() {
            return new Invoice(new Order(id));
        }
    }

    record Invoice(Order order) {}

    interface Mail {
        void send(Invoice invoice);
    }

    interface Ledger {
        void close();

        void book(Payment payment);
    }
}
