package io.github.wheelscheduler.autoconfigure.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.cors.CorsConfiguration;

/**
 * Refuses what a browser sends to steer in the name of its user, but for a page of another origin. A browser says so in
 * a header that no page can change. What sends no such header, such as a script, or a browser over plain HTTP, is not
 * refused here.
 */
final class CrossSiteRule {

    static final List<String> STEERED = List.of("wheelscheduler", "wheeldurable");

    static final String HEADER = "Sec-Fetch-Site";

    /** The answer with the status 403, in JSON. */
    static final byte[] ANSWER = """
            {"error":"a browser must steer from a page of the same origin, or of one that \
            management.endpoints.web.cors allows, but Sec-Fetch-Site was of another"}""".getBytes(StandardCharsets.UTF_8);

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** Typed by the user, or sent by a page of the same scheme, host and port. */
    private static final Set<String> OWN = Set.of("none", "same-origin");

    private final EndpointPaths paths;
    private final @Nullable CorsConfiguration cors;

    CrossSiteRule(EndpointPaths paths, @Nullable CorsConfiguration cors) {
        this.paths = paths;
        this.cors = cors;
    }

    /**
     * Whether a browser says that a request may change something and is from elsewhere, as few do.
     *
     * @param sites each value of the header {@value #HEADER}
     */
    static boolean isCrossSite(String method, List<String> sites) {
        return !SAFE.contains(method) && !OWN.containsAll(sites);
    }

    /**
     * Whether a request that is from elsewhere is to be refused.
     *
     * @param origin value of the header {@code Origin}; null if there is none
     * @param path within the application
     */
    boolean refuses(@Nullable String origin, PathContainer path) {
        return paths.find(path) != null && !isAllowed(origin);
    }

    private boolean isAllowed(@Nullable String origin) {
        return cors != null && cors.checkOrigin(origin) != null;
    }
}
