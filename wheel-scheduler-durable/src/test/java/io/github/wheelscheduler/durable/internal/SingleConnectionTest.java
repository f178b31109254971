package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** A DataSource of the user's that has one connection. */
class SingleConnectionTest {

    @Test
    void transactionOfUsersConnectionStaysWhole() throws Exception {
        try (HikariDataSource pool = TestDatabase.H2.newDataSource();
                Node node = new Node("a", pool);
                Connection connection = pool.getConnection()) {
            node.start();
            SingleConnectionDataSource users = new SingleConnectionDataSource(connection, true);
            Sql sql = new Sql(users, Dialect.H2, "wheel_durable_task");
            new TransactionTemplate(new DataSourceTransactionManager(users)).executeWithoutResult(status -> {
                assertThat(sql.changes("insert into {task} (task_name, task_instance, execution_time)"
                                + " values ('mail', '1', timestamp '2100-01-01 00:00:00')"))
                        .isTrue();
                status.setRollbackOnly();
            });
            assertThat(new JdbcTemplate(pool).queryForObject("select count(*) from wheel_durable_task", Integer.class))
                    .isZero();
        }
    }
}
