package io.github.wheelscheduler.autoconfigure.dashboard;

import java.net.InetAddress;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.function.SingletonSupplier;

/** Tells the nodes behind one address apart, and a node from itself before it was started again. */
final class NodeName {

    private final String id = UUID.randomUUID().toString();
    private final Supplier<String> text;

    /**
     * Makes one.
     *
     * @param environment is asked for the port at the first request, as it is known then
     */
    NodeName(PropertyResolver environment) {
        this.text = SingletonSupplier.of(() -> {
            String port = environment.getProperty("local.management.port", "");
            return URLEncoder.encode(host(), StandardCharsets.UTF_8) + (port.isEmpty() ? "" : ":" + port) + "#" + id;
        });
    }

    /** Returns host and port for people, a hash sign, and what no other node and no other start has. */
    String text() {
        return text.get();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "node";
        }
    }
}
