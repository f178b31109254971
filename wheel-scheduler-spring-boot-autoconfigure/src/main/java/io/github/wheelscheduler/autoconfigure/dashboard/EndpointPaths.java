package io.github.wheelscheduler.autoconfigure.dashboard;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.http.server.PathContainer;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPattern.PathRemainingMatchInfo;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Tells which endpoint a path leads to, with the patterns and the parser with which the Actuator maps it: what is
 * encoded, doubled or appended leads there for both, or for neither.
 */
final class EndpointPaths {

    private final Supplier<Map<String, PathPattern>> patterns;

    /**
     * Makes one.
     *
     * @param endpoints are looked for at the first request
     * @param ids of the endpoints that count, where they are exposed
     */
    EndpointPaths(Supplier<PathMappedEndpoints> endpoints, List<String> ids) {
        this.patterns = SingletonSupplier.of(() -> patternsOf(endpoints.get(), ids));
    }

    private static Map<String, PathPattern> patternsOf(PathMappedEndpoints endpoints, List<String> ids) {
        EndpointMapping mapping = new EndpointMapping(endpoints.getBasePath());
        Map<String, PathPattern> patterns = new LinkedHashMap<>();
        for (String id : ids) {
            String root = endpoints.getRootPath(EndpointId.of(id));
            if (root != null) {
                patterns.put(id, PathPatternParser.defaultInstance.parse(mapping.createSubPath(root)));
            }
        }
        return patterns;
    }

    /**
     * Returns where a path leads to.
     *
     * @param path within the application, without the path of its context or servlet
     * @return null if it leads to no endpoint that counts
     */
    @Nullable
    Target find(PathContainer path) {
        for (Map.Entry<String, PathPattern> pattern : patterns.get().entrySet()) {
            PathRemainingMatchInfo match = pattern.getValue().matchStartOfPath(path);
            if (match != null) {
                return new Target(pattern.getKey(), match.getPathRemaining().value());
            }
        }
        return null;
    }

    /**
     * The target of a path.
     *
     * @param endpoint its id
     * @param rest the part after the path of the endpoint, as it was sent: empty, or with a slash at its begin
     */
    record Target(String endpoint, String rest) {}
}
