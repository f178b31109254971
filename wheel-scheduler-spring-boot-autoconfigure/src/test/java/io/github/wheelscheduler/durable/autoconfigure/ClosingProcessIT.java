package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application whose process is told to end while a durable task runs ends soon after the close limit. */
class ClosingProcessIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);
    private static final Duration LONGEST = CLOSE_LIMIT.plusSeconds(2);
    private static final int STATUS = 3;
    private static final String BEGUN = "the run has begun";

    static class Runs {

        @DurableHandler("long")
        void runLong() throws InterruptedException {
            System.out.println(BEGUN);
            Thread.sleep(PATIENCE.toMillis());
        }

        @DurableHandler("deaf")
        void runOnWhenInterrupted() {
            System.out.println(BEGUN);
            long endNanos = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < endNanos) {
                LockSupport.parkNanos(10_000_000);
                boolean ignored = Thread.interrupted();
            }
        }

        @DurableHandler("exit")
        void exit() {
            System.out.println(BEGUN);
            System.exit(STATUS);
        }
    }

    /** Schedules a task of the handler that its argument names. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application {

        @Bean
        Runs runs() {
            return new Runs();
        }

        public static void main(String[] args) {
            boolean ignored = SpringApplication.run(Application.class, args)
                    .getBean(DurableTasks.class)
                    .schedule(args[0], "1", null, Instant.now());
        }
    }

    private static Process start(String handler, Path log) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Application.class.getName(),
                        handler,
                        "--spring.main.web-application-type=none",
                        "--spring.main.keep-alive=true",
                        "--wheel.scheduler.durable.close-limit=" + CLOSE_LIMIT.toSeconds() + "s")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(PATIENCE).until(() -> Files.readString(log).contains(BEGUN) || !process.isAlive());
        return process;
    }

    private static Path log(String handler) throws IOException {
        return Files.createDirectories(Path.of("target", "children")).resolve("closing-" + handler + ".log");
    }

    private static void awaitEnd(Process process, Path log, int status) throws InterruptedException, IOException {
        long startNanos = System.nanoTime();
        try {
            assertThat(process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
            Duration taken = Duration.ofNanos(System.nanoTime() - startNanos);
            System.out.println(
                    "> " + log.getFileName() + ": ended after " + taken.toMillis() + " ms with " + process.exitValue());
            assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(status);
            assertThat(taken).as(Files.readString(log)).isLessThan(LONGEST);
        } finally {
            Process ignored = process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"long", "deaf"})
    void endsSoonAfterTheCloseLimitWhenItIsToldTo(String handler) throws Exception {
        Path log = log(handler);
        Process process = start(handler, log);
        process.destroy();
        // As a signal ends a process.
        awaitEnd(process, log, 143);
    }

    @Test
    void endsWithTheStatusThatAHandlerSays() throws Exception {
        Path log = log("exit");
        awaitEnd(start("exit", log), log, STATUS);
    }
}
