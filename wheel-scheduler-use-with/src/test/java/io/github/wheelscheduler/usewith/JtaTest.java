package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.atomikos.icatch.jta.UserTransactionManager;
import com.atomikos.jdbc.AtomikosDataSourceBean;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transactional handler whose transactions are JTA's, of two databases at once. */
class JtaTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean(initMethod = "init", destroyMethod = "close")
        UserTransactionManager transactions() {
            return new UserTransactionManager();
        }

        @Bean
        JtaTransactionManager jta(UserTransactionManager transactions) {
            return new JtaTransactionManager(transactions, transactions);
        }

        @Bean(initMethod = "init", destroyMethod = "close")
        AtomikosDataSourceBean tasks(UserTransactionManager transactions) {
            return database("tasks");
        }

        @Bean(initMethod = "init", destroyMethod = "close", defaultCandidate = false)
        AtomikosDataSourceBean books(UserTransactionManager transactions) {
            return database("books");
        }

        private static AtomikosDataSourceBean database(String name) {
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setUrl("jdbc:h2:mem:jta-" + name);
            AtomikosDataSourceBean bean = new AtomikosDataSourceBean();
            bean.setUniqueResourceName(name);
            bean.setXaDataSource(h2);
            bean.setMinPoolSize(2);
            bean.setMaxPoolSize(20);
            bean.setLocalTransactionMode(true);
            return bean;
        }

        @Bean
        Ledger ledger(DataSource tasks, @Qualifier("books") DataSource books, PlatformTransactionManager jta) {
            return new Ledger(new JdbcTemplate(tasks), new JdbcTemplate(books), new TransactionTemplate(jta));
        }
    }

    static class Ledger {

        private final JdbcTemplate here;
        private final JdbcTemplate there;
        private final TransactionTemplate joined;
        private final Queue<String> runs = new ConcurrentLinkedQueue<>();

        Ledger(JdbcTemplate here, JdbcTemplate there, TransactionTemplate joined) {
            this.here = here;
            this.there = there;
            this.joined = joined;
            here.execute("create table entry (name varchar(50))");
            there.execute("create table entry (name varchar(50))");
        }

        @DurableHandler(value = "book", transactional = true, transactionManager = "jta", backOff = "10ms")
        void book(String how) {
            boolean isFirst = !runs.contains(how);
            runs.add(how);
            String name = isFirst ? how : how + " again";
            assertThat(here.update("insert into entry values (?)", name)).isOne();
            assertThat(there.update("insert into entry values (?)", name)).isOne();
            switch (isFirst ? how : "") {
                case "throws" -> throw new IllegalStateException("on purpose");
                case "marks" -> joined.executeWithoutResult(TransactionStatus::setRollbackOnly);
                default -> {}
            }
        }

        List<String> entries() {
            List<String> entries = here.queryForList("select name from entry order by name", String.class);
            assertThat(there.queryForList("select name from entry order by name", String.class))
                    .isEqualTo(entries);
            return entries;
        }
    }

    @TempDir
    private Path logs;

    private ConfigurableApplicationContext context;

    @BeforeEach
    void start() {
        System.setProperty("com.atomikos.icatch.log_base_dir", logs.toString());
        context = new SpringApplicationBuilder(Application.class).run();
    }

    @AfterEach
    void stop() {
        context.close();
        System.clearProperty("com.atomikos.icatch.log_base_dir");
    }

    private void run(String how) {
        DurableTasks tasks = context.getBean(DurableTasks.class);
        assertThat(tasks.schedule("book", how, how, Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> tasks.find("book", how).isEmpty());
    }

    @Test
    void endIsCommittedWithWhatItsRunWroteIntoTwoDatabases() {
        run("ends");
        Ledger ledger = context.getBean(Ledger.class);
        assertThat(ledger.entries()).containsExactly("ends");
        assertThat(ledger.runs).containsExactly("ends");
    }

    @Test
    void runThatThrowsIsRolledBackInBothDatabases() {
        run("throws");
        assertThat(context.getBean(Ledger.class).entries()).containsExactly("throws again");
    }

    @Test
    void runThatIsMarkedForARollbackIsTriedAgain() {
        run("marks");
        assertThat(context.getBean(Ledger.class).entries()).containsExactly("marks again");
    }
}
