package io.github.wheelscheduler.netty;

import static io.github.wheelscheduler.netty.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.netty.util.Timeout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/netty.md}. */
class NettyPageTest {

    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final Request request = new Request();

    @AfterEach
    void stop() {
        executor.shutdownNow();
        pool.shutdownNow();
    }

    @Test
    void timerOfAnExecutor() {
        WheelNettyTimer timer = WheelNettyTimer.builder(executor)
                .name("requests")
                .maxPendingTimeouts(1_000_000)
                .build();

        Timeout timeout = timer.newTimeout(expired -> request.fail(), 5, TimeUnit.SECONDS);
        boolean inTime = timeout.cancel();

        Set<Timeout> unprocessed = timer.stop();

        assertThat(inTime).isTrue();
        assertThat(unprocessed).isEmpty();
        assertThat(request.failures).hasValue(0);
    }

    @Test
    void sideBySide() {
        WheelNettyTimer timer =
                WheelNettyTimer.builder(executor).maxConcurrent(16).build();

        timer.newTimeout(expired -> request.fail(), 1, TimeUnit.MILLISECONDS);
        awaitThat(() -> request.failures.get() == 1);
    }

    @Test
    void elsewhere() {
        WheelNettyTimer timer =
                WheelNettyTimer.builder(executor).taskExecutor(pool).build();

        timer.newTimeout(expired -> request.fail(), 1, TimeUnit.MILLISECONDS);
        awaitThat(() -> request.failures.get() == 1);
        assertThat(request.thread.getName()).startsWith("pool-");
    }

    /** Spaces do not count: the code here is formatted for its own depth. */
    @Test
    void pageShowsWhatRunsHere() throws IOException {
        String page = Files.readString(Path.of("../docs/netty.md"));
        String source = withoutSpaces(
                Files.readString(Path.of("src/test/java/io/github/wheelscheduler/netty/NettyPageTest.java")));
        List<String> examples =
                JAVA.matcher(page).results().map(found -> found.group(1)).toList();
        assertThat(examples).hasSize(3).allSatisfy(example -> assertThat(source).contains(withoutSpaces(example)));
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s+", "");
    }

    private static final class Request {

        final AtomicInteger failures = new AtomicInteger();
        volatile Thread thread;

        void fail() {
            thread = Thread.currentThread();
            failures.incrementAndGet();
        }
    }
}
