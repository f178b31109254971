package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.testing.CapturedLog;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A run that fails is written, also if its failure, or an observer, throws when it is asked. */
@Timeout(120)
class FailureTextTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final RetryPolicy RETRIES = new RetryPolicy(2, Duration.ofMillis(20), Duration.ofMillis(40));
    private static final int LONG_CHAIN = 3_000;

    private final HikariDataSource pool = TestDatabase.H2.newDataSource();
    private final AtomicInteger runs = new AtomicInteger();
    private @Nullable Node node;

    @AfterEach
    void close() {
        if (node != null) {
            node.close();
        }
        pool.close();
    }

    private Node node(DurableObserver observer) {
        Node made = new Node(Node.settings("a"), pool, observer);
        node = made;
        return made;
    }

    /** An entity that prints another one, which prints it. */
    static final class Entity {

        private @Nullable Entity other;

        @Override
        public String toString() {
            return "Entity[" + other + "]";
        }
    }

    /** What a handler throws. */
    enum Thrown {
        PRINTS_ITSELF {
            @Override
            Throwable make() {
                Entity one = new Entity();
                Entity two = new Entity();
                one.other = two;
                two.other = one;
                // As a BindException has it, whose message has the values that were rejected.
                return new RuntimeException() {
                    @Override
                    public String getMessage() {
                        return "rejected value [" + one + "]";
                    }
                };
            }
        },
        LONG_CAUSES {
            @Override
            Throwable make() {
                Throwable chain = new IllegalStateException("the first");
                for (int i = 0; i < LONG_CHAIN; i++) {
                    chain = new IllegalStateException("cause " + i, chain);
                }
                return chain;
            }
        },
        MESSAGE_FAILS {
            @Override
            Throwable make() {
                return new RuntimeException() {
                    @Override
                    public String getMessage() {
                        throw new NoClassDefFoundError("on purpose: message");
                    }
                };
            }
        },
        TEXT_FAILS {
            @Override
            @SuppressWarnings("OverrideThrowableToString") // its text is what fails
            Throwable make() {
                return new RuntimeException("on purpose") {
                    @Override
                    public String toString() {
                        throw new OutOfMemoryError("on purpose: text");
                    }
                };
            }
        },
        TRACE_FAILS {
            @Override
            Throwable make() {
                return new RuntimeException("on purpose") {
                    @Override
                    public void printStackTrace(PrintWriter writer) {
                        throw new AssertionError("on purpose: trace");
                    }
                };
            }
        },
        CAUSE_FAILS {
            @Override
            Throwable make() {
                return new RuntimeException("on purpose") {
                    @Override
                    public synchronized Throwable getCause() {
                        throw new StackOverflowError("on purpose: cause");
                    }
                };
            }
        },
        ALL_FAILS {
            @Override
            Throwable make() {
                return new RuntimeException() {
                    @Override
                    public String getMessage() {
                        throw new NoClassDefFoundError("on purpose");
                    }

                    @Override
                    public StackTraceElement[] getStackTrace() {
                        throw new NoClassDefFoundError("on purpose");
                    }

                    @Override
                    public synchronized Throwable getCause() {
                        throw new NoClassDefFoundError("on purpose");
                    }

                    @Override
                    public void printStackTrace(PrintWriter writer) {
                        throw new NoClassDefFoundError("on purpose");
                    }
                };
            }
        },
        MEMORY {
            @Override
            Throwable make() {
                return new OutOfMemoryError("on purpose");
            }
        },
        STACK {
            @Override
            Throwable make() {
                return new StackOverflowError("on purpose");
            }
        };

        abstract Throwable make();

        void fail() {
            throw Thrown.<RuntimeException>sneaky(make());
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // what is thrown is not looked at
        private static <T extends Throwable> T sneaky(Throwable ex) throws T {
            throw (T) ex;
        }
    }

    private void requireGivenUp(String id) {
        Node made = java.util.Objects.requireNonNull(node);
        await().atMost(PATIENCE)
                .until(() -> made.engine
                        .find("failing", id)
                        .filter(task -> task.state() == State.FAILED)
                        .isPresent());
        DurableTask task = made.engine.find("failing", id).orElseThrow();
        assertThat(task.failures()).isEqualTo(3);
        assertThat(task.failure()).isNotBlank().hasSizeLessThanOrEqualTo(8_000);
        assertThat(runs).hasValue(3);
        // The row is there before the node has counted its end.
        await().atMost(PATIENCE).until(() -> made.engine.counts().givenUp() == 1);
        assertThat(made.engine.counts().failed()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void failureIsWritten(Thrown thrown) {
        try (CapturedLog log = CapturedLog.begin()) {
            Node made = node(DurableObserver.NONE);
            made.engine.handle("failing", String.class, RETRIES, payload -> {
                runs.incrementAndGet();
                thrown.fail();
            });
            made.start();
            assertThat(made.engine.schedule("failing", "7", "x", Instant.now())).isTrue();

            requireGivenUp("7");
            assertThat(made.engine.find("failing", "7").orElseThrow().failure())
                    .contains(thrown.make().getClass().getName());
            assertThat(log.of(Level.SEVERE, "failing")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failureInATransactionIsWritten(Thrown thrown) {
        Node made = node(DurableObserver.NONE);
        made.engine.handle(
                "failing", String.class, RETRIES, 10, null, new DataSourceTransactionManager(pool), (payload, run) -> {
                    runs.incrementAndGet();
                    thrown.fail();
                });
        made.start();
        assertThat(made.engine.schedule("failing", "7", "x", Instant.now())).isTrue();

        requireGivenUp("7");
    }

    @ParameterizedTest
    @EnumSource
    void failureOfARecurringTaskIsWritten(Thrown thrown) {
        Node made = node(DurableObserver.NONE);
        Runnable ignored = made.engine.repeat("r", RecurringTable.parse("fixed-rate PT0.1S"), false, () -> {
            runs.incrementAndGet();
            thrown.fail();
        });
        made.start();

        await().atMost(PATIENCE)
                .until(() -> made.engine
                        .recurringTasks()
                        .find("r")
                        .filter(task -> task.failures() >= 3)
                        .isPresent());
        assertThat(made.engine.recurringTasks().find("r").orElseThrow().failure())
                .isNotBlank();
    }

    /** Fails for one line. */
    private static final class FailingLog extends Handler {

        private final AtomicInteger failures = new AtomicInteger();

        @Override
        public void publish(LogRecord line) {
            if (line.getMessage().contains("was cancelled while it ran") && failures.getAndIncrement() == 0) {
                throw new NoClassDefFoundError("on purpose");
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void endThatIsNotWrittenIsAnError() {
        Logger logger = Logger.getLogger("io.github.wheelscheduler.durable");
        FailingLog failing = new FailingLog();
        logger.addHandler(failing);
        try (CapturedLog log = CapturedLog.begin()) {
            Node made = node(DurableObserver.NONE);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch never = new CountDownLatch(1);
            made.engine.handle("failing", String.class, RETRIES, payload -> {
                begun.countDown();
                never.await();
            });
            made.start();
            assertThat(made.engine.schedule("failing", "7", "x", Instant.now())).isTrue();
            await().atMost(PATIENCE).until(() -> begun.getCount() == 0);
            Object ignored = made.engine.cancel("failing", "7", Duration.ofSeconds(1));

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.of(Level.SEVERE, "its end could not be written"))
                            .hasSize(1));
            LogRecord line =
                    log.of(Level.SEVERE, "its end could not be written").get(0);
            assertThat(line.getMessage()).contains("failing 7");
            assertThat(line.getThrown()).isInstanceOf(NoClassDefFoundError.class);
            assertThat(failing.failures).hasValueGreaterThanOrEqualTo(1);
            assertThat(made.engine.counts().failed()).isEqualTo(1);
            // It is found and given back, so the request to end it is met by another run, or before.
            await().atMost(PATIENCE).until(() -> made.engine.counts().running() == 0);
        } finally {
            logger.removeHandler(failing);
        }
    }

    @Test
    void observerThatFailsIsHarmless() {
        Node made = node(new DurableObserver() {
            @Override
            public void starting(String handler, Duration lateness) {
                Thrown.ALL_FAILS.fail();
            }

            @Override
            public void ended(String handler, Duration length, boolean hasSucceeded) {
                Thrown.PRINTS_ITSELF.fail();
            }
        });
        made.engine.handle("failing", String.class, RETRIES, payload -> {
            runs.incrementAndGet();
            Thrown.MESSAGE_FAILS.fail();
        });
        made.start();
        assertThat(made.engine.schedule("failing", "7", "x", Instant.now())).isTrue();

        requireGivenUp("7");
    }

    @Test
    void scheduleThatThrowsAnErrorEnds() {
        Node made = node(DurableObserver.NONE);
        Runnable ignored = made.engine.repeat(
                "r",
                new Recurrence() {
                    @Override
                    public Instant first(Instant now) {
                        return now;
                    }

                    @Override
                    public Instant next(Instant dueAt, Instant endedAt) {
                        throw new NoClassDefFoundError("on purpose");
                    }

                    @Override
                    public String text() {
                        return "own";
                    }
                },
                false,
                runs::incrementAndGet);
        made.engine.handle("other", String.class, RETRIES, payload -> {});
        made.start();
        await().atMost(PATIENCE).until(() -> runs.get() == 1);
        assertThat(made.engine.schedule("other", "1", "x", Instant.now())).isTrue();
        await().atMost(PATIENCE).until(() -> made.engine.find("other", "1").isEmpty());
        await().atMost(PATIENCE).until(() -> made.engine.counts().running() == 0);
        assertThat(runs).hasValue(1);
    }
}
