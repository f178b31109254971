package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.internal.engine.VirtualTime;
import io.github.wheelscheduler.keyed.DueEntry;
import io.github.wheelscheduler.keyed.KeyedTimers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The examples of {@code docs/keyed-timers.md}. */
@SuppressWarnings("CheckReturnValue") // as on the page
class KeyedTimersPageTest {

    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private final VirtualTime time = new VirtualTime();
    private final WheelScheduledExecutor executor = time.executor;
    private final List<String> expired = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void stop() {
        time.close();
    }

    @Test
    void keyedTimers() {
        Order order = new Order();

        KeyedTimers<String, Order> unpaid = KeyedTimers.<String, Order>builder(executor, (id, due) -> due.expire())
                .name("unpaid orders")
                .maxSize(1_000_000)
                .build();

        unpaid.set("4711", order, Duration.ofMinutes(15));
        unpaid.move("4711", Duration.ofMinutes(30));
        Order paid = unpaid.remove("4711");

        assertThat(paid).isSameAs(order);
        unpaid.set("4712", order, Duration.ofMinutes(15));
        time.pass(Duration.ofMinutes(16));
        assertThat(order.expiries).hasValue(1);
    }

    @Test
    void batches() {
        KeyedTimers<String, Order> unpaid = KeyedTimers.<String, Order>batchBuilder(executor, 500, batch -> {
                    List<String> ids = batch.stream().map(DueEntry::key).toList();
                    expireAll(ids);
                })
                .build();

        for (int i = 0; i < 1_000; i++) {
            unpaid.set("order " + i, new Order(), Duration.ofMinutes(15));
        }
        time.pass(Duration.ofMinutes(16));
        assertThat(expired).hasSize(1_000).doesNotHaveDuplicates();
    }

    private void expireAll(List<String> ids) {
        assertThat(ids).hasSizeBetween(1, 500);
        expired.addAll(ids);
    }

    @Test
    void idleTimeouts() {
        Connection connection = new Connection();

        IdleTimeouts<Connection> idle =
                IdleTimeouts.<Connection>builder(executor, Connection::close).build();

        IdleTimeout timeout = idle.register(connection, Duration.ofSeconds(30));
        if (timeout.touch()) {
            connection.send("still there");
        }

        timeout.pause();
        use(connection);
        timeout.resume();

        assertThat(connection.closings).hasValue(0);
        time.pass(Duration.ofSeconds(31));
        assertThat(connection.closings).hasValue(1);
    }

    private void use(Connection connection) {
        time.pass(Duration.ofHours(1));
        connection.send("used");
    }

    /** Spaces do not count: the code here is formatted for its own depth. */
    @Test
    void pageShowsWhatRunsHere() throws IOException {
        String page = Files.readString(Path.of("../docs/keyed-timers.md"));
        String source = withoutSpaces(
                Files.readString(Path.of("src/test/java/io/github/wheelscheduler/KeyedTimersPageTest.java")));
        List<String> examples =
                JAVA.matcher(page).results().map(found -> found.group(1)).toList();
        assertThat(examples).hasSize(4).allSatisfy(example -> assertThat(source).contains(withoutSpaces(example)));
    }

    private static String withoutSpaces(String text) {
        return text.replaceAll("\\s+", "");
    }

    private static final class Order {

        final AtomicInteger expiries = new AtomicInteger();

        void expire() {
            expiries.incrementAndGet();
        }
    }

    private static final class Connection {

        final AtomicInteger closings = new AtomicInteger();
        final List<String> sent = new ArrayList<>();

        void send(String text) {
            assertThat(closings).hasValue(0);
            sent.add(text);
        }

        void close() {
            closings.incrementAndGet();
        }
    }
}
