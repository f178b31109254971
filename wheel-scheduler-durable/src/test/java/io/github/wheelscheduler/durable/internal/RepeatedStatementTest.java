package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableTask;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A statement that was rolled back because of others is made again, but in no transaction of a caller's. */
class RepeatedStatementTest {

    private final HikariDataSource pool = TestDatabase.H2.newDataSource();
    private final Sql sql = new Sql(pool, Dialect.H2, "t");
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        pool.close();
    }

    private int failing(int times, String state, int code) {
        if (calls.incrementAndGet() <= times) {
            throw new CannotAcquireLockException("on purpose", new SQLException("on purpose", state, code));
        }
        return calls.get();
    }

    @ParameterizedTest
    @CsvSource({"40001,1213,3", "40P01,0,3", "40001,0,5", "HY000,1205,1"})
    void deadlockIsRepeated(String state, int code, int times) {
        assertThat(sql.repeated(() -> failing(times, state, code))).isEqualTo(times + 1);
    }

    @ParameterizedTest
    @CsvSource({"40001,1213,6", "HY000,1205,2", "42000,0,1"})
    void repeatingEnds(String state, int code, int calls) {
        assertThatExceptionOfType(CannotAcquireLockException.class)
                .isThrownBy(() -> sql.repeated(() -> failing(100, state, code)));
        assertThat(this.calls).hasValue(calls);
    }

    @Test
    void nothingIsRepeatedInATransactionOfACaller() {
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
        assertThatExceptionOfType(CannotAcquireLockException.class)
                .isThrownBy(() ->
                        transaction.executeWithoutResult(status -> sql.repeated(() -> failing(1, "40001", 1_213))));
        assertThat(calls).hasValue(1);
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void nameThatIsNullIsNamed() {
        try (Node node = new Node("a", pool)) {
            assertThatNullPointerException()
                    .isThrownBy(() -> node.engine.find("h", null))
                    .withMessage("id must not be null");
            assertThatNullPointerException()
                    .isThrownBy(() -> node.engine.list(null, DurableTask.State.FAILED, null, 1))
                    .withMessage("handler must not be null");
        }
    }
}
