package io.github.wheelscheduler.durable;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** The main class of a process that is one node of a cluster. It writes down each run as it begins, and as it ends. */
public final class ClusterNode {

    private static final long RUN_MILLIS = 5;

    private ClusterNode() {}

    /** Expects the address of the database and the name of the node; goes on until it is killed. */
    public static void main(String[] args) throws InterruptedException {
        HikariDataSource dataSource = TestDatabase.dataSource(args[0]);
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        String name = args[1];
        try (Node node = new Node(name, dataSource)) {
            node.handle("note", String.class, id -> {
                int begun = jdbc.update(
                        "insert into runs (id, node, late_micros) select ?, ?, extract(epoch from clock_timestamp() - due) * 1000000"
                                + " from dues where dues.id = ?",
                        id,
                        name,
                        id);
                if (begun != 1) {
                    throw new IllegalStateException("every task has its row");
                }
                Thread.sleep(RUN_MILLIS);
                int ended = jdbc.update("update runs set ended = true where id = ? and node = ?", id, name);
                if (ended < 1) {
                    throw new IllegalStateException("every run has its row");
                }
            });
            node.engine.handle(
                    "book",
                    String.class,
                    RetryPolicy.DEFAULT,
                    Integer.MAX_VALUE,
                    null,
                    new DataSourceTransactionManager(dataSource),
                    (id, run) -> {
                        int booked = jdbc.update("insert into ledger (id, node) values (?, ?)", id, name);
                        if (booked != 1) {
                            throw new IllegalStateException("every run has its entry");
                        }
                        Thread.sleep(RUN_MILLIS);
                    });
            Runnable ignored = node.engine.repeat("tick", ClusterIT.tick(), false, () -> {
                int ticked = jdbc.update("insert into ticks (node, at) values (?, clock_timestamp())", name);
                if (ticked != 1) {
                    throw new IllegalStateException("every tick has its row");
                }
            });
            node.start();
            System.out.println("started " + name);
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
