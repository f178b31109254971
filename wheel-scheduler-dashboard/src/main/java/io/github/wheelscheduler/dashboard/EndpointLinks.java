package io.github.wheelscheduler.dashboard;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;

/**
 * Where the page finds itself and the endpoints, relative to its own address, so that a proxy may put anything before
 * it.
 */
final class EndpointLinks {

    private static final List<String> ASKED = List.of("wheelscheduler", "wheeldurable", "wheelhistory");

    private final PathMappedEndpoints endpoints;

    EndpointLinks(PathMappedEndpoints endpoints) {
        this.endpoints = endpoints;
    }

    /** Returns the last segment of the page's own path; a dot if the page is at the root. */
    String base() {
        List<String> own = segmentsOf(WheelDashboardEndpoint.ID);
        return own.isEmpty() ? "." : own.get(own.size() - 1);
    }

    /** Returns what the page is to know of the application and its endpoints. */
    Map<String, Object> settings(String application, boolean hasScheduler) {
        Map<String, Object> described = new LinkedHashMap<>();
        for (String id : ASKED) {
            described.put(id, describe(id));
        }
        return Map.of("endpoints", described, "application", application, "scheduler", hasScheduler);
    }

    private Map<String, Object> describe(String id) {
        PathMappedEndpoint endpoint = endpoints.getEndpoint(EndpointId.of(id));
        if (endpoint == null) {
            return Map.of("exposed", false, "steering", false);
        }
        boolean steering = endpoint instanceof ExposableWebEndpoint web
                && web.getOperations().stream().anyMatch(operation -> operation.getType() == OperationType.WRITE);
        return Map.of("path", linkTo(id), "exposed", true, "steering", steering);
    }

    /** Returns a path that leads from the page to an endpoint. */
    private String linkTo(String id) {
        List<String> from = segmentsOf(WheelDashboardEndpoint.ID);
        List<String> to = segmentsOf(id);
        int folders = Math.max(0, from.size() - 1);
        int shared = 0;
        while (shared < folders && shared < to.size() - 1 && from.get(shared).equals(to.get(shared))) {
            shared++;
        }
        List<String> steps = new ArrayList<>(Collections.nCopies(folders - shared, ".."));
        steps.addAll(to.subList(shared, to.size()));
        return String.join("/", steps);
    }

    /** Returns the segments of an endpoint's path, the base path included, each as a link has it. */
    private List<String> segmentsOf(String id) {
        String root = endpoints.getRootPath(EndpointId.of(id));
        return Stream.of((endpoints.getBasePath() + "/" + root).split("/", -1))
                .filter(segment -> !segment.isEmpty())
                .map(segment ->
                        URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20"))
                .toList();
    }
}
