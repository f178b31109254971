package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeHint;
import org.springframework.aot.hint.TypeReference;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.jta.JtaTransactionManager;

/** In whose transactions the runs of transactional handlers go on. */
class TransactionalHandlerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ApplicationContextRunner withoutManager = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    DurableAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    private final ApplicationContextRunner runner = withoutManager.withConfiguration(
            AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class));

    static class Payments {
        private final JdbcTemplate jdbc;
        private boolean hasFailed;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
            jdbc.execute("create table ledger (entry varchar(50))");
        }

        @DurableHandler(value = "pay", transactional = true, backOff = "10ms")
        void pay(String entry) {
            book(entry);
        }

        void book(String entry) {
            assertThat(jdbc.update("insert into ledger values (?)", entry)).isEqualTo(1);
            if (!hasFailed) {
                hasFailed = true;
                throw new IllegalStateException("on purpose");
            }
        }
    }

    static class NamedPayments extends Payments {

        NamedPayments(JdbcTemplate jdbc) {
            super(jdbc);
        }

        @Override
        @DurableHandler(value = "pay", transactional = true, transactionManager = "${manager:second}", backOff = "10ms")
        void pay(String entry) {
            book(entry);
        }
    }

    private static void paysOnce(ConfigurableApplicationContext context) {
        DurableTasks tasks = context.getBean(DurableTasks.class);
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        assertThat(tasks.schedule("pay", "1", "one", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> tasks.find("pay", "1").isEmpty());
        assertThat(jdbc.queryForList("select entry from ledger", String.class)).containsExactly("one");
    }

    @Test
    void managerOfBootIsUsed() {
        runner.withUserConfiguration(Payments.class).run(TransactionalHandlerTest::paysOnce);
    }

    private static DataSource anotherDataSource() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Configuration(proxyBeanMethods = false)
    static class WithTwo {
        @Bean
        PlatformTransactionManager first(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager second(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOneOfAnother {
        @Bean
        PlatformTransactionManager first(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager second() {
            return new JdbcTransactionManager(anotherDataSource());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOnlyAnother {
        @Bean
        PlatformTransactionManager other() {
            return new JdbcTransactionManager(anotherDataSource());
        }
    }

    /** As that of JPA it says which DataSource it is for, and has another resource. */
    static final class LikeJpa implements PlatformTransactionManager {
        private final JdbcTransactionManager delegate;

        LikeJpa(DataSource dataSource) {
            delegate = new JdbcTransactionManager(dataSource);
        }

        public DataSource getDataSource() {
            return Objects.requireNonNull(delegate.getDataSource());
        }

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return delegate.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            delegate.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            delegate.rollback(status);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithOneLikeJpa {
        @Bean
        LikeJpa units(DataSource dataSource) {
            return new LikeJpa(dataSource);
        }

        @Bean
        PlatformTransactionManager other() {
            return new JdbcTransactionManager(anotherDataSource());
        }
    }

    private static final class NoTransaction implements UserTransaction {
        @Override
        public void begin() {}

        @Override
        public void commit() {}

        @Override
        public void rollback() {}

        @Override
        public void setRollbackOnly() {}

        @Override
        public int getStatus() {
            return Status.STATUS_NO_TRANSACTION;
        }

        @Override
        public void setTransactionTimeout(int seconds) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class WithJta {
        @Bean
        JtaTransactionManager jta() {
            return new JtaTransactionManager(new NoTransaction());
        }
    }

    @Test
    void onlyManagerOfItsDataSourceIsUsedBesideOthers() {
        withoutManager
                .withUserConfiguration(WithOneOfAnother.class, Payments.class)
                .run(TransactionalHandlerTest::paysOnce);
        withoutManager
                .withUserConfiguration(WithOneLikeJpa.class, Payments.class)
                .run(TransactionalHandlerTest::paysOnce);
    }

    @Test
    void oneThatIsNamedIsUsed() {
        withoutManager
                .withUserConfiguration(WithTwo.class, NamedPayments.class)
                .run(TransactionalHandlerTest::paysOnce);
        withoutManager
                .withUserConfiguration(WithJta.class, NamedPayments.class)
                .withPropertyValues("manager=jta", "wheel.scheduler.durable.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void fails(ApplicationContextRunner application, Class<?> handler, String... texts) {
        application
                .withUserConfiguration(handler)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(UnusableSetupException.class)
                        .satisfies(failure -> assertThat(failure.getMessage()).contains(texts)));
    }

    @Test
    void startStopsWhereNoneOrSeveralAreForItsDataSource() {
        String rule = "A transactional @DurableHandler must have one PlatformTransactionManager for the DataSource of "
                + "durable tasks, but ";
        fails(withoutManager, Payments.class, rule + "there is none, for ", "Payments.pay(");
        fails(
                withoutManager.withUserConfiguration(WithOnlyAnother.class),
                Payments.class,
                rule + "there are only other, for others, for ");
        fails(
                withoutManager.withUserConfiguration(WithTwo.class),
                Payments.class,
                rule + "there are several: first, second, for ");
        fails(
                withoutManager.withUserConfiguration(WithJta.class),
                Payments.class,
                rule + "it cannot be told whether it is jta, as with JTA, for ");
    }

    @Test
    void nameThatIsNoneForItsDataSourceStopsTheStart() {
        fails(
                withoutManager.withUserConfiguration(WithOneOfAnother.class),
                NamedPayments.class,
                "The transactionManager of a method with @DurableHandler must be for the DataSource of durable tasks, "
                        + "but 'second' is for another one");
        fails(
                runner,
                NamedPayments.class,
                "must be the name or qualifier of one PlatformTransactionManager, but 'second' is not",
                "there are transactionManager");
    }

    static class NotTransactional {
        @DurableHandler(value = "pay", transactionManager = "transactionManager")
        void pay() {}
    }

    @Test
    void nameWithoutTransactionsStopsTheStart() {
        fails(
                runner,
                NotTransactional.class,
                "@DurableHandler must be transactional where it names a transactionManager, but is not on ",
                "NotTransactional.pay()");
    }

    @Test
    void nativeImageMayAskWhichDataSourceThoseOfJpaAreFor() {
        RuntimeHints hints = new RuntimeHints();
        new TransactionManagerChoice.Hints().registerHints(hints, null);
        for (String name : new String[] {"JpaTransactionManager", "hibernate.HibernateTransactionManager"}) {
            TypeHint hint = hints.reflection().getTypeHint(TypeReference.of("org.springframework.orm.jpa." + name));
            assertThat(Objects.requireNonNull(hint).methods())
                    .singleElement()
                    .extracting(ExecutableHint::getName, ExecutableHint::getMode)
                    .containsExactly("getDataSource", ExecutableMode.INVOKE);
        }
    }
}
