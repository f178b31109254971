package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Two applications on one database. */
class ScheduledOnceTest {

    private final DataSource dataSource =
            new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    private final JdbcTemplate jdbc = new JdbcTemplate(dataSource);
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    // snippet
    @Configuration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "1h")
    static class Locks {

        @Bean
        LockProvider locks(DataSource dataSource) {
            return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                    .withJdbcTemplate(new JdbcTemplate(dataSource))
                    .usingDbTime()
                    .build());
        }
    }

    static class Reports {

        private final Mail mail;

        Reports(Mail mail) {
            this.mail = mail;
        }

        @Scheduled(cron = "${reports.cron}")
        @SchedulerLock(name = "reports", lockAtLeastFor = "10m")
        public void send() {
            mail.send("report");
        }
    }
    // end of snippet

    interface Mail {
        void send(String text);
    }

    /** A task without a lock, at the same instants. */
    record Unlocked(Queue<String> seen, String node) {
        @Scheduled(cron = "${reports.cron}")
        void see() {
            boolean ignored = seen.add(node);
        }
    }

    @Configuration
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Reports reports(Mail mail) {
            return new Reports(mail);
        }
    }

    /** Else Boot sets up the logging that other tests listen to. */
    @BeforeAll
    static void leaveLoggingAlone() {
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
    }

    @AfterAll
    static void giveLoggingBack() {
        System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
    }

    @AfterEach
    void close() {
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    private void start(String node) {
        nodes.add(new SpringApplicationBuilder(Application.class, Locks.class)
                .web(WebApplicationType.NONE)
                .properties("reports.cron=* * * * * *", "spring.application.name=" + node)
                .initializers(context -> {
                    GenericApplicationContext beans = (GenericApplicationContext) context;
                    beans.registerBean(DataSource.class, () -> dataSource);
                    beans.registerBean(Mail.class, () -> text -> sent.add(node + " " + text));
                    beans.registerBean(Unlocked.class, () -> new Unlocked(seen, node));
                })
                .run());
    }

    private void awaitInstantsOnBoth() {
        seen.clear();
        await().atMost(OurExecutor.LIMIT).until(() -> seen.containsAll(List.of("a", "b")) && seen.size() >= 6);
    }

    @Test
    void lockedTaskRunsOnceForAllNodes() {
        jdbc.execute("create table shedlock (name varchar(64) primary key, lock_until timestamp(3) not null,"
                + " locked_at timestamp(3) not null, locked_by varchar(255) not null)");
        start("a");
        start("b");
        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.getBean("taskScheduler")).isInstanceOf(WheelTaskScheduler.class));

        awaitInstantsOnBoth();
        assertThat(sent).hasSize(1);

        // As if the ten minutes had passed.
        assertThat(jdbc.update("update shedlock set lock_until = locked_at")).isEqualTo(1);
        awaitInstantsOnBoth();
        assertThat(sent).hasSize(2);
    }
}
