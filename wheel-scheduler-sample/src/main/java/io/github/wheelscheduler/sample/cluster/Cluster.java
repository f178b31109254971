package io.github.wheelscheduler.sample.cluster;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LoggingSystem;

/** A PostgreSQL and the nodes on it, none of which outlives this process if that is asked to end. */
final class Cluster implements AutoCloseable {

    private static final Duration STARTUP_LIMIT = Duration.ofSeconds(30);
    private static final String USER = "postgres";
    private static final String DATABASE = "postgres";

    private final Map<String, NodeProcess> nodes = new LinkedHashMap<>();
    private @Nullable EmbeddedPostgres server;
    private boolean isClosed;

    /** Whether this process has been asked to end. */
    private volatile boolean isEnding;

    /** @throws IOException if PostgreSQL does not start here */
    static Cluster start() throws IOException, InterruptedException {
        // It logs, and here is no application that says how much.
        LoggingSystem.get(Cluster.class.getClassLoader()).beforeInitialize();
        Cluster cluster = new Cluster();
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::end, "end-of-cluster"));
        cluster.startServer();
        return cluster;
    }

    /** An end that comes meanwhile waits, so that it finds the server. */
    private synchronized void startServer() throws IOException, InterruptedException {
        requireOpen();
        try {
            server = EmbeddedPostgres.builder().setPGStartupWait(STARTUP_LIMIT).start();
        } catch (IOException | RuntimeException | ExceptionInInitializerError ex) {
            if (isEnding) {
                throw new InterruptedException("This process is ending");
            }
            throw new IOException(
                    "PostgreSQL must start here, but does not. The one that comes along is for Linux on x86-64, if the "
                            + "build was not told otherwise; where root starts it, it needs user namespaces (unshare). "
                            + "The cause: " + ex,
                    ex);
        }
    }

    /** Returns the database for this process. */
    synchronized DataSource dataSource() throws IOException {
        requireOpen();
        return Objects.requireNonNull(server).getPostgresDatabase();
    }

    /** Starts a process whose connections go by its name. */
    synchronized void startNode(String name) throws IOException {
        requireOpen();
        String url = Objects.requireNonNull(server).getJdbcUrl(USER, DATABASE) + "&ApplicationName=" + name;
        NodeProcess unused = nodes.put(name, NodeProcess.start(name, url));
    }

    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException("This process is ending");
        }
    }

    /** @throws IOException if a node has ended that was not killed */
    synchronized void checkNodes() throws IOException, InterruptedException {
        for (NodeProcess node : nodes.values()) {
            node.checkAlive();
        }
    }

    /** Ends a node without warning. */
    synchronized void kill(String name) throws InterruptedException {
        Objects.requireNonNull(nodes.remove(name)).kill();
    }

    boolean isEnding() {
        return isEnding;
    }

    private void end() {
        isEnding = true;
        close();
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        nodes.values().forEach(NodeProcess::end);
        nodes.clear();
        EmbeddedPostgres running = server;
        server = null;
        if (running != null) {
            try {
                running.close();
            } catch (IOException ex) {
                System.err.println("PostgreSQL may not have ended: " + ex);
            }
        }
    }
}
