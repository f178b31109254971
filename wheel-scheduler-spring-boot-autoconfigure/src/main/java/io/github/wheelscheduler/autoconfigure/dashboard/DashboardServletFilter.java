package io.github.wheelscheduler.autoconfigure.dashboard;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.DeferredCsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.util.ServletRequestPathUtils;

/** Adds to answers what {@link AnswerPlans} decides. Filters of Spring Security come before it. */
final class DashboardServletFilter implements Filter {

    private static final boolean HAS_TOKENS = ClassUtils.isPresent(
            "org.springframework.security.web.csrf.CsrfToken", DashboardServletFilter.class.getClassLoader());

    private final AnswerPlans plans;

    DashboardServletFilter(AnswerPlans plans) {
        this.plans = plans;
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) anyRequest;
        HttpServletResponse response = (HttpServletResponse) anyResponse;
        PathContainer path = pathOf(request);
        AnswerPlans.Plan plan = path == null ? null : plans.plan(request.getMethod(), path, request.getQueryString());
        if (plan == null || !answer(plan, request, response)) {
            chain.doFilter(request, response);
        }
    }

    /** Returns the path within the application; null if it is none that any endpoint could have. */
    private static @Nullable PathContainer pathOf(HttpServletRequest request) {
        try {
            return ServletRequestPathUtils.parse(request).pathWithinApplication();
        } catch (IllegalArgumentException ex) {
            return null;
        }
    }

    /** Returns whether nothing else is to answer. */
    private static boolean answer(AnswerPlans.Plan plan, HttpServletRequest request, HttpServletResponse response) {
        plan.headers().forEach(response::setHeader);
        if (plan.redirect() != null) {
            response.setStatus(HttpServletResponse.SC_FOUND);
            response.setHeader("Location", plan.redirect());
            return true;
        }
        if (plan.token() && HAS_TOKENS) {
            Tokens.add(request, response);
        }
        return plan.etag() != null && new ServletWebRequest(request, response).checkNotModified(plan.etag());
    }

    /** Is not loaded without Spring Security. */
    private static final class Tokens {

        /** Adds the token, which puts it into the session if it is not there yet. */
        static void add(HttpServletRequest request, HttpServletResponse response) {
            if (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token) {
                String plain = inCookie(request);
                boolean isMasked = plain == null || plain.equals(request.getHeader(AnswerPlans.REFUSED));
                response.setHeader(AnswerPlans.TOKEN, isMasked ? token.getToken() : plain);
                response.setHeader(AnswerPlans.TOKEN_HEADER, token.getHeaderName());
            }
        }

        /**
         * Returns the token that a cookie has, as scripts send it back: with {@code csrf.spa()}, Spring Security
         * refuses a masked one in a header. Null if the token is in the session
         * rather than in a cookie, because it must not be sent unmasked then.
         */
        private static @Nullable String inCookie(HttpServletRequest request) {
            Cookie[] cookies = request.getCookies();
            if (cookies == null
                    || !(request.getAttribute(DeferredCsrfToken.class.getName())
                            instanceof DeferredCsrfToken deferred)) {
                return null;
            }
            String plain = deferred.get().getToken();
            return Stream.of(cookies).anyMatch(cookie -> plain.equals(cookie.getValue())) ? plain : null;
        }
    }
}
