package io.github.wheelscheduler.durable.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A PostgreSQL as it is when nobody has set it up, on disk, that can be stopped and started again. */
public final class MeasuredServer implements AutoCloseable {

    /** Those of the public benchmark of queues on PostgreSQL. */
    public static final Map<String, String> OF_QUEUES = Map.of("max_connections", "400", "shared_buffers", "256MB");

    public final Path directory;
    private final Map<String, String> settings;
    private final int port;
    private EmbeddedPostgres server;
    private int databases;

    public MeasuredServer() throws IOException {
        this(Map.of());
    }

    /** The same with some settings. */
    public MeasuredServer(Map<String, String> settings) throws IOException {
        this.settings = settings;
        directory = Files.createTempDirectory("measured");
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        server = start();
    }

    private EmbeddedPostgres start() throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .setPort(port)
                // An embedded server is started with -F and without the other, unless both are said.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("shared_preload_libraries", "pg_stat_statements");
        settings.forEach(builder::setServerConfig);
        return builder.start();
    }

    public String newUrl() throws SQLException {
        String name = "m" + ++databases;
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("create database " + name);
            requireOn(statement, "fsync");
            requireOn(statement, "synchronous_commit");
        }
        return server.getJdbcUrl("postgres", name);
    }

    private static void requireOn(Statement statement, String setting) throws SQLException {
        try (ResultSet value = statement.executeQuery("show " + setting)) {
            if (!value.next() || !value.getString(1).equals("on")) {
                throw new IllegalStateException(setting + " must be on");
            }
        }
    }

    public void stop() throws IOException {
        server.close();
    }

    /** The same as {@code pg_ctl stop -m immediate} does it, as if the machine had failed. */
    public void crash() throws IOException, InterruptedException {
        long pid = Long.parseLong(Files.readAllLines(directory.resolve("data").resolve("postmaster.pid"))
                .get(0));
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        Process kill = new ProcessBuilder("kill", "-QUIT", "" + pid).inheritIO().start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill must end with 0, ended with " + kill.exitValue());
        }
        ProcessHandle ignored = postmaster.onExit().join();
        server.close();
    }

    public void startAgain() throws IOException {
        server = start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        org.springframework.util.FileSystemUtils.deleteRecursively(directory);
    }
}
