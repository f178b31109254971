package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With a real Redis; skipped where there is none, unless {@code wheel.test.require} has redis. */
class LettuceTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    private RedisServer server;

    @BeforeEach
    void startServer() throws Exception {
        server = RedisServer.startOrSkip();
    }

    @AfterEach
    void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void commandsTimeOutAndConnectionsComeBackOnTheWheel() throws Exception {
        String uri = server.uri();

        // snippet
        WheelNettyTimer timer =
                WheelNettyTimer.builder(executor).name("lettuce").build();
        ClientResources resources = ClientResources.builder().timer(timer).build();

        RedisClient client = RedisClient.create(resources, uri);
        client.setOptions(ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.enabled(Duration.ofSeconds(1)))
                .build());
        // end of snippet

        WheelScheduledExecutor group = executor.group("lettuce");
        try (StatefulRedisConnection<String, String> connection = client.connect();
                StatefulRedisConnection<String, String> other = client.connect()) {
            assertThat(connection.sync().set("price", "42")).isEqualTo("OK");
            assertThat(connection.sync().get("price")).isEqualTo("42");
            await().atMost(LIMIT).until(() -> timer.pendingTimeouts() == 0);

            long firedBefore = group.snapshot().totals().fired();
            assertThatThrownBy(() ->
                            connection.async().blpop(0, "nobody pushes here").get(LIMIT.toSeconds(), SECONDS))
                    .hasCauseInstanceOf(RedisCommandTimeoutException.class);
            long firedAfter = group.snapshot().totals().fired();
            assertThat(firedAfter).isGreaterThan(firedBefore);

            long id = other.sync().clientId();
            assertThat(connectAndKill(client, id)).isEqualTo(1);
            await().atMost(LIMIT).until(() -> group.snapshot().totals().fired() > firedAfter);
            assertThat(other.sync().get("price")).isEqualTo("42");
        }

        // snippet
        client.shutdown();
        resources.shutdown(0, 2, SECONDS).get();
        timer.stop();
        // end of snippet
        assertThat(group.isTerminated()).isTrue();
    }

    private static long connectAndKill(RedisClient client, long id) {
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return connection.sync().clientKill(KillArgs.Builder.id(id));
        }
    }
}
