package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static io.github.wheelscheduler.usewith.OurExecutor.assertIsWorkerOf;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.netty.WheelNettyTimer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import org.asynchttpclient.AsyncCompletionHandler;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.Dsl;
import org.asynchttpclient.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AsyncHttpClientTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    @Test
    void requestsTimeOutOnTheWheel() throws Exception {
        try (Server server = new Server()) {
            String url = server.url("slow");

            // snippet
            WheelNettyTimer timer =
                    WheelNettyTimer.builder(executor).name("http").build();
            AsyncHttpClient client =
                    Dsl.asyncHttpClient(Dsl.config().setNettyTimer(timer).setRequestTimeout(Duration.ofMillis(500)));

            CompletableFuture<Response> answer =
                    client.prepareGet(url).execute().toCompletableFuture();
            // end of snippet

            assertThatThrownBy(() -> answer.get(LIMIT.toSeconds(), SECONDS))
                    .hasCauseInstanceOf(TimeoutException.class)
                    .hasMessageContaining("Request timeout");
            assertThat(client.prepareGet(server.url("fast"))
                            .setRequestTimeout(LIMIT)
                            .execute()
                            .get(LIMIT.toSeconds(), SECONDS)
                            .getResponseBody())
                    .isEqualTo("42");
            Failure failure = new Failure();
            assertThatThrownBy(() -> client.prepareGet(url).execute(failure).get(LIMIT.toSeconds(), SECONDS))
                    .hasCauseInstanceOf(TimeoutException.class);
            assertIsWorkerOf("http", failure.toldBy.get(LIMIT.toSeconds(), SECONDS));
            // The first request may have timed out before there was a connection.
            assertThat(server.slowRequests.await(LIMIT.toSeconds(), SECONDS)).isTrue();

            // snippet
            client.close();
            timer.stop();
            // end of snippet
        }
        assertThat(executor.groups()).isEmpty();
    }

    /** Records the thread that reports the timeout. */
    private static final class Failure extends AsyncCompletionHandler<Response> {

        final CompletableFuture<String> toldBy = new CompletableFuture<>();

        @Override
        public Response onCompleted(Response response) {
            return response;
        }

        @Override
        public void onThrowable(Throwable failure) {
            toldBy.complete(Thread.currentThread().getName());
        }
    }

    /** Answers at once at {@code /fast}, and not before it is closed at {@code /slow}. */
    private static final class Server implements AutoCloseable {

        final CountDownLatch slowRequests = new CountDownLatch(1);
        private final CountDownLatch closing = new CountDownLatch(1);
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpServer server;

        Server() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/fast", exchange -> {
                byte[] body = {'4', '2'};
                exchange.sendResponseHeaders(200, body.length);
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(body);
                }
            });
            server.createContext("/slow", exchange -> {
                slowRequests.countDown();
                try {
                    closing.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
                exchange.close();
            });
            server.start();
        }

        String url(String path) {
            return "http://" + server.getAddress().getAddress().getHostAddress() + ":"
                    + server.getAddress().getPort() + "/" + path;
        }

        @Override
        public void close() {
            closing.countDown();
            server.stop(0);
            threads.shutdown();
        }
    }
}
