package io.github.wheelscheduler.autoconfigure.testing;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** An application with the Actuator on a server of its own, and a client of it. */
public final class ActuatorServer implements AutoCloseable {

    private static final String USER = "operator";
    private static final String PASSWORD = "not secret";

    private final ConfigurableApplicationContext context;
    private final HttpClient client = HttpClient.newHttpClient();

    private ActuatorServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts an application on a free port. All endpoints are exposed.
     *
     * @param classLoader sees what is on the class path of the application
     */
    public static ActuatorServer start(ClassLoader classLoader, Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--management.endpoints.web.exposure.include=*",
                "--spring.security.user.name=" + USER,
                "--spring.security.user.password=" + PASSWORD));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classLoader);
        try {
            return new ActuatorServer(new SpringApplicationBuilder(application)
                    .resourceLoader(new DefaultResourceLoader(classLoader))
                    .web(WebApplicationType.SERVLET)
                    .run(arguments.toArray(String[]::new)));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    public WheelTaskScheduler wheel() {
        return SchedulingContexts.wheelOf(context);
    }

    /** Asks for a path below {@code /actuator/}. */
    public Answer get(String path) {
        return send(request(path).header("Authorization", credentials()).GET());
    }

    public Answer getAnonymously(String path) {
        return send(request(path).GET());
    }

    /** Sends an object in JSON to a path below {@code /actuator/}. */
    public Answer post(String path, String json) {
        return send(withJson(request(path).header("Authorization", credentials()), json));
    }

    public Answer postAnonymously(String path, String json) {
        return send(withJson(request(path), json));
    }

    /** Sends anything, with the password that a browser may remember, to a path below {@code /actuator/}. */
    public Answer postAs(@Nullable String contentType, String path, String body) {
        HttpRequest.Builder request = request(path).header("Authorization", credentials());
        if (contentType != null) {
            request.header("Content-Type", contentType);
        }
        return send(request.POST(
                body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:%s/actuator/%s".formatted(port, path)))
                .header("Accept", "application/json");
    }

    private static HttpRequest.Builder withJson(HttpRequest.Builder request, String json) {
        return request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(json));
    }

    private static String credentials() {
        byte[] bytes = (USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(bytes);
    }

    private Answer send(HttpRequest.Builder request) {
        try {
            var response = client.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException ex) {
            throw new IllegalStateException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
