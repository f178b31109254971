package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** What a transactional handler persists with Hibernate is there if its task has ended well, and only then. */
class TransactionalJpaTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Entity(name = "entry")
    static class Entry {

        @Id
        private String name = "";

        protected Entry() {}

        Entry(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithHibernate {

        @Bean
        LocalContainerEntityManagerFactoryBean units(DataSource dataSource) {
            HibernateJpaVendorAdapter hibernate = new HibernateJpaVendorAdapter();
            hibernate.setGenerateDdl(true);
            LocalContainerEntityManagerFactoryBean units = new LocalContainerEntityManagerFactoryBean();
            units.setDataSource(dataSource);
            units.setJpaVendorAdapter(hibernate);
            units.setManagedTypes(PersistenceManagedTypes.of(Entry.class.getName()));
            return units;
        }

        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory units) {
            return new JpaTransactionManager(units);
        }
    }

    static class Ledger {

        private final EntityManager units;
        private final TransactionTemplate joined;
        private final JdbcTemplate jdbc;
        private final Queue<String> runs = new ConcurrentLinkedQueue<>();

        Ledger(EntityManagerFactory units, PlatformTransactionManager manager, JdbcTemplate jdbc) {
            this.units = SharedEntityManagerCreator.createSharedEntityManager(units);
            this.joined = new TransactionTemplate(manager);
            this.jdbc = jdbc;
        }

        @DurableHandler(value = "book", transactional = true, backOff = "10ms")
        void book(String how) {
            boolean isFirst = !runs.contains(how);
            boolean ignored = runs.add(how);
            units.persist(new Entry(isFirst ? how : how + " again"));
            switch (isFirst ? how : "") {
                case "throws" -> throw new IllegalStateException("on purpose");
                case "marks" -> joined.executeWithoutResult(TransactionStatus::setRollbackOnly);
                case "looks" -> {
                    units.flush();
                    assertThat(jdbc.queryForList("select name from entry where name = 'looks'"))
                            .as("the same connection")
                            .hasSize(1);
                }
                default -> {}
            }
        }
    }

    private static void ends(String how, int runs, String... entries) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        WheelTaskSchedulerBuilderAutoConfiguration.class,
                        TimerWheelAutoConfiguration.class,
                        DurableAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
                .withUserConfiguration(WithHibernate.class, Ledger.class)
                .run(context -> {
                    DurableTasks tasks = context.getBean(DurableTasks.class);
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    assertThat(jdbc.update("insert into entry (name) values ('taken')"))
                            .isEqualTo(1);
                    assertThat(tasks.schedule("book", "1", how, Instant.now())).isTrue();
                    await().atMost(PATIENCE).until(() -> tasks.find("book", "1").isEmpty());
                    assertThat(context.getBean(Ledger.class).runs).hasSize(runs);
                    assertThat(jdbc.queryForList("select name from entry where name <> 'taken'", String.class))
                            .containsExactlyInAnyOrder(entries);
                });
    }

    @Test
    void entityIsCommittedWithTheEndOfItsTask() {
        ends("looks", 1, "looks");
    }

    @Test
    void entityOfARunThatThrowsIsRolledBack() {
        ends("throws", 2, "throws again");
    }

    @Test
    void entityOfATransactionMarkedForRollbackIsRolledBack() {
        ends("marks", 2, "marks again");
    }

    @Test
    void entityThatIsRefusedAtTheCommitKeepsItsTask() {
        ends("taken", 2, "taken again");
    }
}
