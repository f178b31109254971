package io.github.wheelscheduler.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A MariaDB of this JVM, which ends with it: on a free port of this machine, with its data in a directory of its own.
 */
public final class MariaDbServer {

    private static final long LIMIT_SECONDS = 60;
    private static final long PAUSE_MILLIS = 100;
    private static final String USER = "root";

    private final int port;

    private MariaDbServer(int port) {
        this.port = port;
    }

    /** Starts one; empty where there is none on the path. */
    public static Optional<MariaDbServer> start() throws IOException {
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
        runToEnd(
                directory,
                installer.toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                user);
        int port = freePort();
        Process process = begin(
                directory,
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
                "--innodb-lock-wait-timeout=5");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            process.destroyForcibly().onExit().join();
            delete(directory);
        }));
        MariaDbServer started = new MariaDbServer(port);
        started.awaitReady(process);
        return started;
    }

    private void awaitReady(Process process) throws IOException {
        long startNanos = System.nanoTime();
        try {
            while (!isReady()) {
                if (process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("MariaDB must start, ended with " + process.exitValue());
                }
                if (System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
                    throw new IOException("MariaDB must answer within " + LIMIT_SECONDS + " s");
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IOException(ex);
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static void runToEnd(Path directory, String... command) throws IOException {
        int code = begin(directory, command).onExit().join().exitValue();
        if (code != 0) {
            throw new IOException(command[0] + " must end with 0, ended with " + code);
        }
    }

    private static Process begin(Path directory, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(command))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        // One that starts deletes what others have left of temporary tables, or have not.
        String ignored = builder.environment().put("TMPDIR", directory.toString());
        return builder.start();
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
    public String newUrl(String name) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute("create database " + name);
        }
        return url(name);
    }

    private String url(String database) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?user=" + USER;
    }
}
