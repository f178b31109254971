package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** Decides what the filters add to the answers of the page and of the endpoints that it asks. */
final class AnswerPlans {

    static final List<String> ENDPOINTS =
            List.of(WheelDashboardEndpoint.ID, "wheelscheduler", "wheeldurable", "wheelhistory");

    static final String TOKEN = "Wheel-Csrf-Token";
    static final String TOKEN_HEADER = "Wheel-Csrf-Header";

    /** The token that was sent and refused, where the page asks once more. */
    static final String REFUSED = "Wheel-Csrf-Refused";

    private static final String NODE = "Wheel-Node";
    private static final String CACHE_CONTROL = "Cache-Control";
    private static final Set<String> READING = Set.of("GET", "HEAD");

    private static final Map<String, String> OF_THE_PAGE = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer");

    private final EndpointPaths paths;
    private final WheelDashboardEndpoint page;
    private final NodeName node;

    AnswerPlans(EndpointPaths paths, WheelDashboardEndpoint page, NodeName node) {
        this.paths = paths;
        this.page = page;
        this.node = node;
    }

    /**
     * Returns what to add to the answer to a request.
     *
     * @param path within the application
     * @param query as it was sent; null if there was none
     * @return null for nothing
     */
    @Nullable
    Plan plan(String method, PathContainer path, @Nullable String query) {
        EndpointPaths.Target target = paths.find(path);
        if (target == null) {
            return null;
        }
        if (!target.endpoint().equals(WheelDashboardEndpoint.ID)) {
            return new Plan(Map.of(NODE, node.text()), null, null, false);
        }
        Map<String, String> headers = new LinkedHashMap<>(OF_THE_PAGE);
        headers.put(NODE, node.text());
        boolean reading = READING.contains(method);
        if (reading && target.rest().equals("/")) {
            headers.put(CACHE_CONTROL, "no-store");
            return new Plan(headers, withoutSlash(path) + (query == null ? "" : "?" + query), null, false);
        }
        String file = target.rest().isEmpty() ? "" : target.rest().substring(1);
        String etag = reading ? page.etag(file) : null;
        headers.put(CACHE_CONTROL, etag == null ? "no-store" : "no-cache");
        return new Plan(headers, null, etag, file.equals(WheelDashboardEndpoint.TOKEN));
    }

    /** Returns a link from a path with a slash at its end to the same without, as it was sent. */
    private static String withoutSlash(PathContainer path) {
        String whole = path.value();
        String stem = whole.substring(0, whole.length() - 1);
        return "../" + stem.substring(stem.lastIndexOf('/') + 1);
    }

    /**
     * The additions to an answer.
     *
     * @param headers of the answer
     * @param redirect the address to which the browser is sent instead; null for none
     * @param etag of the file that is asked for; null if there is none
     * @param token whether a token against forged requests is asked for
     */
    record Plan(
            Map<String, String> headers,
            @Nullable String redirect,
            @Nullable String etag,
            boolean token) {}
}
