package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.io.IOException;
import java.net.CookieManager;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** An application with the page, as a browser sees it: with cookies, and without following redirects. */
final class DashboardSite implements AutoCloseable {

    private static final String[] DEFAULTS = {
        "server.port=0",
        "management.endpoints.web.exposure.include=*",
        "management.endpoint.wheelscheduler.access=unrestricted",
        "spring.security.user.name=operator",
        "spring.security.user.password=secret"
    };

    private final ConfigurableApplicationContext context;
    private final HttpClient client =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

    private DashboardSite(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts an application that has no Spring Security. All endpoints are exposed, and allow to steer. */
    static DashboardSite start(Class<?> application, String... properties) {
        ClassLoader classLoader =
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security");
        return start(classLoader, application, properties);
    }

    /** Starts an application that has Spring Security. */
    static DashboardSite startSecured(Class<?> application, String... properties) {
        return start(DashboardSite.class.getClassLoader(), application, properties);
    }

    private static DashboardSite start(ClassLoader classLoader, Class<?> application, String... properties) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classLoader);
        try {
            return new DashboardSite(new SpringApplicationBuilder(application)
                    .resourceLoader(new DefaultResourceLoader(classLoader))
                    .properties(DEFAULTS)
                    .run(Stream.of(properties).map(property -> "--" + property).toArray(String[]::new)));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    WheelTaskScheduler wheel() {
        return SchedulingContexts.wheelOf(context);
    }

    private int port() {
        return context.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
    }

    /** Returns the address of a path on the port of the endpoints. */
    URI at(String path) {
        return URI.create("http://localhost:" + port() + path);
    }

    HttpResponse<String> get(URI address, String... headers) {
        return send("GET", address, "", headers);
    }

    HttpResponse<String> get(String path, String... headers) {
        return get(at(path), headers);
    }

    HttpResponse<String> post(String path, String json, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Content-Type", "application/json"));
        return send("POST", at(path), json, all.toArray(String[]::new));
    }

    HttpResponse<String> send(String method, URI address, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException ex) {
            throw new IllegalStateException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    /** Posts JSON to a path that no client would send, and returns the whole answer, empty if there was none. */
    String postRaw(String path, String json, String... headerLines) {
        StringBuilder request = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: localhost:" + port() + "\r\n");
        for (String line : headerLines) {
            request.append(line).append("\r\n");
        }
        request.append("Content-Type: application/json\r\nConnection: close\r\nContent-Length: ")
                .append(json.length())
                .append("\r\n\r\n")
                .append(json);
        try (Socket socket = new Socket("localhost", port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException ex) {
            return "";
        }
    }

    /** Returns a header; empty if it is not there. */
    static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    static Object valueAt(HttpResponse<String> response, String path) {
        Object value = JsonParserFactory.getJsonParser().parseMap(response.body());
        for (String step : path.split("\\.", -1)) {
            value = value instanceof Map<?, ?> map ? map.get(step) : null;
        }
        return value;
    }

    @Override
    public void close() {
        context.close();
    }
}
