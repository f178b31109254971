package io.github.wheelscheduler.internal.spring.task;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.stream.Stream;

/** What a machine, or a container, is called. */
final class NodeName {

    private static final String UNKNOWN = "unknown";

    private NodeName() {}

    /** Returns what the environment says, which is at hand; else what the network says. */
    static String ofThisMachine() {
        return Stream.of("HOSTNAME", "COMPUTERNAME")
                .map(System::getenv)
                .filter(Objects::nonNull)
                .filter(name -> !name.isBlank())
                .findFirst()
                .orElseGet(NodeName::ofLocalHost);
    }

    private static String ofLocalHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return UNKNOWN;
        }
    }
}
