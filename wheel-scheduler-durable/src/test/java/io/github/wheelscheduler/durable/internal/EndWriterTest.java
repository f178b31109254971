package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.DurableEnd.Kind.DONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.Context.Tally;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.RowEnd.Kind;
import io.github.wheelscheduler.durable.internal.TestDatabase.RecordingDataSource;
import io.github.wheelscheduler.durable.internal.journal.EndNotes;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Ends of runs are told in batches, and one that cannot be told holds up no other. */
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource(TestDatabase.class)
class EndWriterTest {

    private static final long OWNER = 7;
    private static final String TABLE = TaskTable.DEFAULT_NAME;

    private final HikariDataSource pool;
    private final RecordingDataSource recording;
    private final JdbcTemplate jdbc;
    private final TestDatabase database;
    private final Tables tables;
    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final Tally tally = new Tally();
    private final ClaimedTasks claimedTasks = new ClaimedTasks(10, 1);
    private final EndWriter endWriter;
    private final CountDownLatch goOn = new CountDownLatch(1);

    EndWriterTest(TestDatabase database) {
        this.database = database;
        pool = database.newDataSource();
        recording = new RecordingDataSource(pool);
        jdbc = new JdbcTemplate(pool);
        DurableSettings settings = Node.settings("a");
        Database tasks = new Database(recording, settings);
        tables = tasks.tables();
        NodeGroups groups = NodeGroups.of(executor, settings);
        endWriter = new EndWriter(
                new Context(
                        settings,
                        groups,
                        new DatabaseClock(executor::nanoTime),
                        new Handlers(DurableObserver.NONE),
                        new Payloads(JsonMapper.builder().build(), List.of()),
                        DurableObserver.NONE,
                        new Availability(executor::nanoTime),
                        tally,
                        claimedTasks,
                        new Notifications(settings, tasks, groups),
                        new EndListeners(
                                executor,
                                () -> NodeGroups.forListeners(executor),
                                new EndNotes(Instant::now, executor::nanoTime)),
                        (name, times) -> {}),
                tables);
    }

    @AfterEach
    void close() {
        goOn.countDown();
        List<Runnable> ignored = executor.shutdownNow();
        pool.close();
    }

    /** Inserts rows that this node has, and returns them as they are in hand while they run. */
    private List<Claim> claimed(String handler, int count) {
        Instant now = tables.tasks().now();
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            assertThat(tables.tasks().insert(handler, "" + i, new byte[0], now)).isTrue();
        }
        for (TaskRow row : tables.claims()
                .claim(OWNER, Duration.ofSeconds(1), Map.of(handler, count), List.of(), Map.of(), true)) {
            Claim claim = new Claim(row, OWNER);
            claimedTasks.add(claim, Integer.MAX_VALUE);
            claims.add(claim);
        }
        assertThat(claims).hasSize(count);
        return claims;
    }

    private void add(PendingEnd end) {
        endWriter.add(end);
        endWriter.send();
    }

    private PendingEnd done(Claim claim) {
        return PendingEnd.of(
                claim,
                new RowEnd(Kind.DONE, () -> tables.ends().done(claim.key()), null, claim.ran(DONE, null, null, null)));
    }

    private static PendingEnd other(Claim claim, BooleanSupplier write) {
        return PendingEnd.of(claim, RowEnd.withoutRun(write));
    }

    private long rows() {
        return jdbc.queryForObject("select count(*) from " + TABLE, Long.class);
    }

    /** Lets a thread send that waits. */
    private Thread block() {
        CountDownLatch sends = new CountDownLatch(1);
        Thread blocked = new Thread(() -> add(other(claimed("block", 1).get(0), () -> {
            sends.countDown();
            try {
                goOn.await();
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
            return true;
        })));
        blocked.start();
        await().until(() -> sends.getCount() == 0);
        return blocked;
    }

    @Test
    void endDuringABatchGoesIntoTheNextOne() throws InterruptedException {
        List<Claim> claims = claimed("note", 450);
        Thread blocked = block();
        recording.forget();
        for (Claim claim : claims) {
            add(done(claim));
        }
        assertThat(endWriter.untold()).isGreaterThan(1);
        goOn.countDown();
        blocked.join();
        await().until(() -> endWriter.untold() == 0);
        assertThat(rows()).as("what was said to be told without a statement").isEqualTo(1);
        assertThat(tally.lost).hasValue(0);
        assertThat(claimedTasks.missing(claims.stream().map(Claim::key).toList()))
                .hasSize(450);
        // A noisy machine may take longer than a second to add them, and one more sender sends.
        assertThat(recording.statements.stream()
                        .filter(statement -> statement.contains("delete from"))
                        .count())
                .isBetween(1L, 6L);
    }

    @Test
    void singleEndIsWrittenByItsOwnThread() {
        Claim claim = claimed("note", 1).get(0);
        List<Thread> tellers = new ArrayList<>();
        add(other(claim, () -> tellers.add(Thread.currentThread())));
        assertThat(tellers).containsExactly(Thread.currentThread());
        assertThat(endWriter.untold()).isZero();
        assertThat(endWriter.isSending()).isFalse();
    }

    @Test
    void singleEndIsOneStatementAndOneCommit() {
        Claim claim = claimed("note", 1).get(0);
        recording.forget();
        add(done(claim));
        assertThat(rows()).isZero();
        assertThat(recording.statements).singleElement().asString().contains("delete from");
        assertThat(recording.calls).doesNotContain("setAutoCommit", "commit", "rollback");
    }

    @Test
    void endThatWasSlowLetsTheNextBePlanned() {
        Assumptions.assumeTrue(database == TestDatabase.POSTGRESQL);
        jdbc.execute("create function slow() returns trigger language plpgsql"
                + " as 'begin perform pg_sleep(0.01); return old; end'");
        jdbc.execute("create trigger slow before delete on " + TABLE + " for each row execute function slow()");
        List<Claim> claims = claimed("note", 2);
        recording.forget();
        claims.forEach(claim -> add(done(claim)));
        assertThat(rows()).isZero();
        assertThat(recording.statements).hasSize(2);
        assertThat(recording.statements.get(0)).doesNotContain("unnest");
        assertThat(recording.statements.get(1)).contains("unnest");
    }

    @Test
    void batchReadsOnlyItsRows() throws InterruptedException {
        Assumptions.assumeTrue(database == TestDatabase.H2);
        List<Claim> claims = claimed("note", 300);
        assertThat(new HashSet<>(jdbc.queryForList(
                        "explain analyze " + tables.sql().text(Dialect.H2.deleteDoneOne()),
                        String.class,
                        "note",
                        "7",
                        claims.get(7).key().version())))
                .singleElement()
                .asString()
                .doesNotContain("scanCount: 3");
        Thread blocked = block();
        claims.forEach(claim -> add(done(claim)));
        goOn.countDown();
        blocked.join();
        await().until(() -> endWriter.untold() == 0);
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void senderThatHangsHoldsUpNoOther() {
        List<Claim> claims = claimed("note", 3);
        Thread ignored = block();
        add(done(claims.get(0)));
        await().until(() -> {
            endWriter.send();
            return rows() == 3;
        });
        add(done(claims.get(1)));
        assertThat(rows()).isEqualTo(2);
        add(done(claims.get(2)));
        assertThat(rows()).isEqualTo(1);
        assertThat(endWriter.untold()).isEqualTo(1);
    }

    @Test
    void lockedRowIsToldApart() throws SQLException, InterruptedException {
        List<Claim> claims = claimed("note", 20);
        Thread blocked = block();
        try (Connection user = pool.getConnection();
                Statement statement = user.createStatement()) {
            user.setAutoCommit(false);
            assertThat(statement.execute(
                            "select 1 from " + TABLE + " where task_name = 'note' and task_instance = '7' for update"))
                    .isTrue();
            claims.forEach(claim -> add(done(claim)));
            goOn.countDown();
            blocked.join();
            await().until(() -> rows() == 2);
            assertThat(endWriter.untold()).isEqualTo(1);
            user.rollback();
        }
        await().until(() -> endWriter.untold() == 0);
        assertThat(rows()).isEqualTo(1);
        assertThat(tally.lost).hasValue(0);
    }

    @Test
    void endThatIsAloneWaitsForNoLock() throws SQLException {
        List<Claim> claims = claimed("note", 2);
        try (Connection user = pool.getConnection();
                Statement statement = user.createStatement()) {
            user.setAutoCommit(false);
            assertThat(statement.execute(
                            "select 1 from " + TABLE + " where task_name = 'note' and task_instance = '0' for update"))
                    .isTrue();
            RowKey locked = claims.get(0).key().id().equals("0")
                    ? claims.get(0).key()
                    : claims.get(1).key();
            for (Claim claim : claims) {
                add(
                        claim.key().equals(locked)
                                ? done(claim)
                                : other(claim, () -> tables.claims().giveBack(claim.key())));
            }
            await().until(() -> endWriter.untold() == 1);
            // It is tried again now and then.
            await("closing does not wait for it").until(() -> !endWriter.isSending());
            user.rollback();
        }
        await().until(() -> endWriter.untold() == 0);
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void handlerWhoseEndsAreRefusedTakesNotAllRoom() {
        List<Claim> claims = claimed("note", 510);
        AtomicBoolean isRefused = new AtomicBoolean(true);
        for (Claim claim : claims) {
            endWriter.add(other(claim, () -> {
                if (isRefused.get()) {
                    throw new DataIntegrityViolationException("refused");
                }
                return tables.claims().giveBack(claim.key());
            }));
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            endWriter.send();
            return endWriter.isClogged("note");
        });
        assertThat(endWriter.isClogged("other")).isFalse();
        isRefused.set(false);
        await().atMost(Duration.ofSeconds(60)).until(() -> endWriter.untold() == 0);
        assertThat(endWriter.isClogged("note")).isFalse();
    }

    @Test
    void rowsThatAreNotThisNodesAnyMoreAreLost() throws InterruptedException {
        List<Claim> claims = claimed("note", 20);
        assertThat(jdbc.update("update " + TABLE + " set version = version + 1 where task_instance in ('3', '4')"))
                .isEqualTo(2);
        Thread blocked = block();
        claims.forEach(claim -> add(done(claim)));
        goOn.countDown();
        blocked.join();
        await().until(() -> endWriter.untold() == 0);
        assertThat(rows()).isEqualTo(3);
        assertThat(tally.lost).hasValue(2);
    }

    @Test
    void rowThatIsToRunAgainWaitsForThat() throws InterruptedException {
        List<Claim> claims = claimed("note", 5);
        RowKey again = claims.get(2).key();
        assertThat(tables.ends()
                        .scheduleNext(again, new byte[] {1}, Instant.now().plusSeconds(3_600), OwnRetries.NONE, null))
                .isTrue();
        Thread blocked = block();
        claims.forEach(claim -> add(done(claim)));
        goOn.countDown();
        blocked.join();
        await().until(() -> endWriter.untold() == 0);
        assertThat(jdbc.queryForList(
                        "select task_instance from " + TABLE + " where task_name = 'note' and state = 0", String.class))
                .containsExactly(again.id());
        assertThat(tally.lost).hasValue(0);
    }

    @Test
    void endThatTheDatabaseRefusesHoldsUpNoOther() throws InterruptedException {
        List<Claim> claims = claimed("note", 60);
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        Thread blocked = block();
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            if (i % 3 == 0) {
                add(done(claim));
            } else if (i == 1) {
                add(other(claim, () -> {
                    if (refused.incrementAndGet() <= 3) {
                        throw new DataIntegrityViolationException("refused");
                    }
                    return tables.claims().giveBack(claim.key());
                }));
            } else {
                add(other(
                        claim,
                        () -> told.incrementAndGet() > 0 && tables.claims().giveBack(claim.key())));
            }
        }
        goOn.countDown();
        blocked.join();
        await().until(() -> endWriter.untold() == 0);
        assertThat(refused).hasValue(4);
        assertThat(jdbc.queryForObject(
                        "select count(*) from " + TABLE + " where task_name = 'note' and state = 0", Long.class))
                .isEqualTo(40);
        assertThat(rows()).isEqualTo(41);
        assertThat(tally.lost).hasValue(0);
    }

    @Test
    void changeThatIsRefusedAtItsCommitHoldsUpNoOther() throws InterruptedException {
        Assumptions.assumeTrue(database == TestDatabase.POSTGRESQL);
        jdbc.execute("create function refuse() returns trigger language plpgsql as"
                + " $$ begin raise exception 'refused'; end $$");
        jdbc.execute("create constraint trigger refuse after update on " + TABLE + " deferrable initially deferred"
                + " for each row when (new.task_instance = '1' and new.state = 0) execute function refuse()");
        List<Claim> claims = claimed("note", 5);
        Thread blocked = block();
        for (Claim claim : claims) {
            add(other(claim, () -> tables.claims().giveBack(claim.key())));
        }
        goOn.countDown();
        blocked.join();
        await().until(() -> endWriter.untold() == 1);
        assertThat(jdbc.queryForList(
                        "select task_instance from " + TABLE + " where task_name = 'note' and state = 1", String.class))
                .containsExactly("1");
        jdbc.execute("drop trigger refuse on " + TABLE);
        await().atMost(Duration.ofSeconds(30)).until(() -> endWriter.untold() == 0);
    }

    @Test
    void manyThreadsTellOfEachEndOnce() throws InterruptedException {
        int threads = 4;
        int each = 150;
        List<Claim> claims = claimed("note", threads * each);
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> workers = IntStream.range(0, threads)
                .mapToObj(thread -> new Thread(() -> {
                    try {
                        begin.await();
                    } catch (InterruptedException ex) {
                        return;
                    }
                    for (int i = 0; i < each; i++) {
                        Claim claim = claims.get(thread * each + i);
                        add(i % 5 == 0 ? other(claim, () -> tables.claims().giveBack(claim.key())) : done(claim));
                    }
                }))
                .toList();
        workers.forEach(Thread::start);
        begin.countDown();
        for (Thread worker : workers) {
            worker.join();
        }
        await().until(() -> endWriter.untold() == 0);
        assertThat(rows()).isEqualTo(threads * each / 5);
        assertThat(tally.lost).as(database.name()).hasValue(0);
        assertThat(endWriter.isSending()).isFalse();
    }
}
