package io.github.wheelscheduler.sample.cluster;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A process of the cluster: an application with the starter, a handler, and a task that recurs. */
public final class ClusterNode {

    static final String HANDLER = "reminder";
    static final long TICK_MILLIS = 1_000;

    /** The time that a run takes, so that some runs go on when a node is killed. */
    private static final long RUN_MILLIS = 20;

    private ClusterNode() {}

    /** Expects the name of the node and the address of the database; goes on until its standard input ends. */
    public static void main(String[] args) {
        endWithParent();
        String node = args[0];
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--spring.config.name=cluster",
                        "--spring.datasource.url=" + args[1],
                        "--wheel.scheduler.durable.node=" + node);
        context.getBean(Ledger.class).addReady(node);
    }

    /** However the other process ends, this one does not outlive it. */
    private static void endWithParent() {
        Thread reader = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // nobody writes anything
                        }
                    } catch (IOException ex) {
                        // that is an end as well
                    }
                    Runtime.getRuntime().halt(1);
                },
                "end-with-parent");
        reader.start();
    }

    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {

        @Bean
        Ledger ledger(JdbcTemplate jdbc) {
            return new Ledger(jdbc);
        }

        @Bean
        Work work(@Value("${wheel.scheduler.durable.node}") String node, Ledger ledger) {
            return new Work(node, ledger);
        }
    }

    /** The tasks of the node. */
    static class Work {

        private final String node;
        private final Ledger ledger;

        Work(String node, Ledger ledger) {
            this.node = node;
            this.ledger = ledger;
        }

        @DurableHandler(HANDLER)
        void remind(Reminder reminder) throws InterruptedException {
            ledger.addRun(new Ledger.Run(reminder.id(), node, reminder.dueAt(), Instant.now()));
            TimeUnit.MILLISECONDS.sleep(RUN_MILLIS);
        }

        @Durable("tick")
        @Scheduled(fixedRate = TICK_MILLIS)
        void tick() {
            ledger.addTick(new Ledger.Tick(node, Instant.now()));
        }
    }
}
