package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A Redis of one test: on a free port of this machine, with nothing on disk but its log. */
final class RedisServer implements AutoCloseable {

    private static final String PROGRAM = "redis-server";
    private static final String REQUIRED = "wheel.test.require";
    private static final String READY = "Ready to accept connections";
    private static final int ATTEMPTS = 5;

    private final Process process;
    private final int port;

    private RedisServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Skips the test where {@code wheel.test.skip} has redis. Skips the test, or fails it if {@code wheel.test.require}
     * has redis, where there is no such program.
     */
    static RedisServer startOrSkip() throws IOException {
        assumeFalse(isListed("wheel.test.skip"), "skipped by wheel.test.skip");
        boolean isInstalled = isInstalled();
        if (isListed(REQUIRED)) {
            assertThat(isInstalled)
                    .as("%s must be on the path, as %s says so", PROGRAM, REQUIRED)
                    .isTrue();
        }
        if (!isInstalled) {
            System.out.println("LettuceTest: there is no " + PROGRAM
                    + " here, so nothing is shown; Debian has it in a package of that name");
        }
        assumeTrue(isInstalled, "no " + PROGRAM);
        return start();
    }

    private static boolean isListed(String property) {
        return List.of(System.getProperty(property, "").split(",")).contains("redis");
    }

    private static boolean isInstalled() {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, PROGRAM)));
    }

    /** Another process may take the free port meanwhile. */
    private static RedisServer start() throws IOException {
        Path directory = Files.createDirectories(Path.of("target", "redis"));
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = freePort();
            Path log = directory.resolve(port + ".log");
            Process process = new ProcessBuilder(
                            PROGRAM,
                            "--bind",
                            InetAddress.getLoopbackAddress().getHostAddress(),
                            "--port",
                            String.valueOf(port),
                            "--save",
                            "",
                            "--appendonly",
                            "no")
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            RedisServer server = new RedisServer(process, port);
            try {
                await().atMost(LIMIT).until(() -> !process.isAlive() || isReady(log));
            } catch (RuntimeException ex) {
                server.close();
                throw ex;
            }
            if (process.isAlive()) {
                return server;
            }
        }
        throw new AssertionError(PROGRAM + " must start, did not in " + ATTEMPTS + " attempts, see its logs in "
                + directory.toAbsolutePath());
    }

    private static boolean isReady(Path log) throws IOException {
        return Files.readString(log).contains(READY);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    String uri() {
        return "redis://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + port;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(LIMIT.toSeconds(), SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
