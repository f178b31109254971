package io.github.wheelscheduler.browser;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A reverse proxy that strips a prefix from paths. Tests change what it forwards to, hold answers back, and alter them.
 */
final class Proxy implements AutoCloseable {

    /** The client sets them itself, or they are about one connection. */
    private static final Set<String> OF_A_CONNECTION =
            Set.of("connection", "content-length", "expect", "host", "keep-alive", "transfer-encoding", "upgrade");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String prefix;

    /** All are written by tests and read for each request. */
    private volatile int port;

    private volatile Predicate<String> isHeld = target -> false;
    private volatile UnaryOperator<String> change = body -> body;

    private volatile int refusal;

    private volatile Predicate<String> isDown = target -> false;

    /** When it was asked last, on the machine's clock. */
    private volatile long askedNanos = System.nanoTime();

    private final AtomicInteger holding = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);

    private Proxy(HttpServer server, String prefix, int port) {
        this.server = server;
        this.prefix = prefix;
        this.port = port;
    }

    /** Starts one that forwards what lies below the prefix, such as {@code /team}, to a port of this machine. */
    static Proxy start(String prefix, int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Proxy proxy = new Proxy(server, prefix, port);
        server.setExecutor(proxy.threads);
        server.createContext("/", proxy::handle);
        server.start();
        return proxy;
    }

    String url(String path) {
        return "http://localhost:" + server.getAddress().getPort() + prefix + path;
    }

    void forwardTo(int port) {
        this.port = port;
    }

    /** Holds answers back whose path and query match, until they are released. */
    void hold(Predicate<String> isHeld) {
        this.isHeld = isHeld;
    }

    boolean isHolding() {
        return holding.get() > 0;
    }

    void release() {
        release.countDown();
    }

    /** Answers what steers with a status, in place of the application. */
    void refuse(int status) {
        refusal = status;
    }

    /** Answers where path and query match, in place of the application, as it does while its database is away. */
    void takeDown(Predicate<String> isDown) {
        this.isDown = isDown;
    }

    /** Returns how long it has been since it was asked last. */
    Duration quietFor() {
        return Duration.ofNanos(System.nanoTime() - askedNanos);
    }

    /** Alters the text of answers in JSON. */
    void change(UnaryOperator<String> change) {
        this.change = change;
    }

    private void handle(HttpExchange exchange) throws IOException {
        askedNanos = System.nanoTime();
        try (exchange) {
            String target = exchange.getRequestURI().toString();
            if (!target.startsWith(prefix)) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            if (refusal != 0 && exchange.getRequestMethod().equals("POST")) {
                exchange.sendResponseHeaders(refusal, -1);
                return;
            }
            if (isDown.test(target)) {
                byte[] problem = "{\"error\": \"the database must answer\"}".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(503, problem.length);
                exchange.getResponseBody().write(problem);
                return;
            }
            HttpResponse<byte[]> response =
                    client.send(request(exchange, target), HttpResponse.BodyHandlers.ofByteArray());
            if (isHeld.test(target)) {
                holding.incrementAndGet();
                release.await();
            }
            try {
                answer(exchange, response);
            } finally {
                if (isHeld.test(target)) {
                    holding.decrementAndGet();
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest request(HttpExchange exchange, String target) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + target.substring(prefix.length())))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_A_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    private void answer(HttpExchange exchange, HttpResponse<byte[]> response) throws IOException {
        byte[] body = response.body();
        response.headers().map().forEach((name, values) -> {
            if (!OF_A_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
        });
        if (response.headers().firstValue("Content-Type").orElse("").contains("json")) {
            body = change.apply(new String(body, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        }
        exchange.sendResponseHeaders(response.statusCode(), body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        release();
        server.stop(0);
        threads.shutdownNow();
    }
}
