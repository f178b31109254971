package io.github.wheelscheduler.durable;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/** A MariaDB of this JVM, which ends with it: on a free port of this machine, with its data in a directory of its own. */
final class MariaDbServer {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final String USER = "root";

    private final int port;

    private MariaDbServer(int port) {
        this.port = port;
    }

    /** Starts one; empty where there is none on the path. */
    static Optional<MariaDbServer> start() throws IOException {
        Optional<Path> server = program("mariadbd");
        Optional<Path> installer = program("mariadb-install-db");
        return server.isEmpty() || installer.isEmpty()
                ? Optional.empty()
                : Optional.of(start(server.get(), installer.get()));
    }

    /** Debian has the server where only administrators look for it. */
    private static Optional<Path> program(String name) {
        return Stream.concat(
                        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)),
                        Stream.of("/usr/sbin"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static MariaDbServer start(Path server, Path installer) throws IOException {
        Path directory = Files.createTempDirectory("mariadb");
        Path data = directory.resolve("data");
        String user = "--user=" + System.getProperty("user.name");
        runToEnd(new ProcessBuilder(
                installer.toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                user));
        int port = freePort();
        Process process = start(new ProcessBuilder(
                server.toString(),
                "--no-defaults",
                user,
                "--datadir=" + data,
                "--socket=" + directory.resolve("socket"),
                "--pid-file=" + directory.resolve("pid"),
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--max-connections=500",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-lock-wait-timeout=5"));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Process ignored = process.destroyForcibly();
            boolean unused = FileSystemUtils.deleteRecursively(directory.toFile());
        }));
        MariaDbServer started = new MariaDbServer(port);
        await().atMost(LIMIT).until(() -> !process.isAlive() || started.isReady());
        if (!process.isAlive()) {
            throw new IOException("MariaDB must start, ended with " + process.exitValue());
        }
        return started;
    }

    private static void runToEnd(ProcessBuilder builder) throws IOException {
        int code = start(builder).onExit().join().exitValue();
        if (code != 0) {
            throw new IOException(builder.command().get(0) + " must end with 0, ended with " + code);
        }
    }

    private static Process start(ProcessBuilder builder) throws IOException {
        return builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private boolean isReady() {
        try (Connection connection = connect()) {
            return connection.isValid(1);
        } catch (SQLException ex) {
            return false;
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(url("mysql"));
    }

    /** Makes a database, and returns its address. */
    String newUrl(String name) throws SQLException {
        try (Connection connection = connect();
                java.sql.Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("create database " + name);
        }
        return url(name);
    }

    private String url(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=" + USER;
    }
}
