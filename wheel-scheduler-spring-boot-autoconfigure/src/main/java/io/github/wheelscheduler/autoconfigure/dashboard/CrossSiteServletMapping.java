package io.github.wheelscheduler.autoconfigure.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Takes requests that the {@link CrossSiteRule} refuses away from the endpoints. It stands where the Actuator looks for
 * the endpoint of a path, so nothing changes the path in between, as behind a filter something might.
 */
final class CrossSiteServletMapping implements HandlerMapping, Ordered {

    private static final HttpRequestHandler REFUSAL = (request, response) -> refuse(response);

    private final CrossSiteRule rule;

    CrossSiteServletMapping(CrossSiteRule rule) {
        this.rule = rule;
    }

    @Override
    public boolean usesPathPatterns() {
        return true;
    }

    @Override
    public @Nullable HandlerExecutionChain getHandler(HttpServletRequest request) {
        boolean refused = CrossSiteRule.isCrossSite(
                        request.getMethod(), Collections.list(request.getHeaders(CrossSiteRule.HEADER)))
                && rule.refuses(
                        request.getHeader("Origin"),
                        ServletRequestPathUtils.parse(request).pathWithinApplication());
        return refused ? new HandlerExecutionChain(REFUSAL) : null;
    }

    private static void refuse(HttpServletResponse response) throws IOException {
        response.setStatus(HttpServletResponse.SC_FORBIDDEN);
        response.setContentType("application/json");
        response.getOutputStream().write(CrossSiteRule.ANSWER);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
