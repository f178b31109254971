package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A node that makes the table when it is used for the first time does that beside the caller's transaction. */
class FirstUseTest {

    @ParameterizedTest
    @EnumSource
    void makingTheTableIsNoPartOfTheCallersTransaction(TestDatabase database) {
        try (HikariDataSource dataSource = database.newDataSource();
                Node node = new Node("a", dataSource)) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            jdbc.execute("create table invoice (id int)");
            new TransactionTemplate(new DataSourceTransactionManager(dataSource)).executeWithoutResult(status -> {
                assertThat(jdbc.update("insert into invoice values (1)")).isEqualTo(1);
                assertThat(node.engine.schedule("note", "1", "one", Instant.now()))
                        .isTrue();
                status.setRollbackOnly();
            });
            assertThat(jdbc.queryForList("select id from invoice")).isEmpty();
            assertThat(node.engine.find("note", "1")).isEmpty();
        }
    }
}
