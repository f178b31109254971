package io.github.wheelscheduler.browser;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskInfo;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** An application on a free port of this machine, in this JVM. */
final class Server implements AutoCloseable {

    static final String NO_DURABLE_TASKS = "spring.autoconfigure.exclude="
            + "io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration,"
            + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

    /** Those of a test go over them. */
    private static final List<String> PROPERTIES = List.of(
            "server.port=0",
            // Reactor Netty 1.3.6 may keep an answer to itself on a connection that is used again (reactor-netty#4361).
            "server.netty.max-keep-alive-requests=1",
            "spring.application.name=shop",
            "spring.main.banner-mode=off",
            "spring.lifecycle.timeout-per-shutdown-phase=100ms",
            "logging.level.root=error",
            "logging.level.org.springframework.scheduling.support=off",
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.wheelscheduler.access=unrestricted",
            "management.endpoint.wheeldurable.access=unrestricted",
            "wheel.scheduler.groups.reports.max-size=2");

    private static final List<String> SECURITY =
            List.of("org.springframework.security", "org.springframework.boot.security");

    private final ConfigurableApplicationContext context;

    private Server(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts the {@link Shop} with Spring MVC, without Spring Security and durable tasks. */
    static Server start(String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = NO_DURABLE_TASKS;
        return start(Shop.class, SECURITY, all);
    }

    /** Starts the {@link Shop} with Spring MVC, without Spring Security and with durable tasks in memory. */
    static Server startWithDurableTasks(Class<?> application, String... properties) {
        return start(application, SECURITY, properties);
    }

    /**
     * Starts an application. All its endpoints are exposed, and tasks may be steered, unless a property says otherwise.
     *
     * @param hidden beginnings of the names of classes that are not on its class path
     */
    static Server start(Class<?> application, List<String> hidden, String... properties) {
        Map<String, String> arguments = new LinkedHashMap<>();
        for (String property :
                Stream.concat(PROPERTIES.stream(), Stream.of(properties)).toList()) {
            String[] parts = property.split("=", 2);
            arguments.put(parts[0], "--" + property);
        }
        ClassLoader classLoader = new FilteredClassLoader(hidden.toArray(String[]::new));
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classLoader);
        try {
            return new Server(new SpringApplicationBuilder(application)
                    .resourceLoader(new DefaultResourceLoader(classLoader))
                    .web(WebApplicationType.SERVLET)
                    .run(arguments.values().toArray(String[]::new)));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    WheelTaskScheduler wheel() {
        return context.getBean("taskScheduler", WheelTaskScheduler.class);
    }

    TaskInfo task(String id) {
        return wheel().getTaskRegistry().get(id);
    }

    int port() {
        return port("local.server.port");
    }

    int managementPort() {
        return port("local.management.port");
    }

    private int port(String property) {
        return context.getEnvironment().getRequiredProperty(property, Integer.class);
    }

    /** Returns the address of the dashboard where nothing is set to have it elsewhere. */
    String dashboard() {
        return url("/actuator/wheeldashboard");
    }

    /** Returns the address of a view, such as {@code view=tasks}. */
    String dashboard(String query) {
        return dashboard() + "?" + query;
    }

    /** Sends an object in JSON to an address of this machine, and returns the status of the answer. */
    static int post(String url, String json) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    String url(String path) {
        return "http://localhost:" + port() + path;
    }

    @Override
    public void close() {
        context.close();
    }
}
