package io.github.wheelscheduler.autoconfigure.dashboard;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** The {@link DashboardServletFilter} of WebFlux. */
final class DashboardWebFilter implements WebFilter, Ordered {

    private static final boolean HAS_TOKENS = ClassUtils.isPresent(
            "org.springframework.security.web.server.csrf.CsrfToken", DashboardWebFilter.class.getClassLoader());

    private final AnswerPlans plans;

    DashboardWebFilter(AnswerPlans plans) {
        this.plans = plans;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        AnswerPlans.Plan plan = plans.plan(
                request.getMethod().name(),
                request.getPath().pathWithinApplication(),
                request.getURI().getRawQuery());
        if (plan == null) {
            return chain.filter(exchange);
        }
        ServerHttpResponse response = exchange.getResponse();
        HttpHeaders headers = response.getHeaders();
        plan.headers().forEach(headers::set);
        if (plan.redirect() != null) {
            response.setStatusCode(HttpStatus.FOUND);
            headers.set(HttpHeaders.LOCATION, plan.redirect());
            return response.setComplete();
        }
        if (plan.etag() != null && exchange.checkNotModified(plan.etag())) {
            return response.setComplete();
        }
        return plan.token() && HAS_TOKENS ? Tokens.add(exchange).then(chain.filter(exchange)) : chain.filter(exchange);
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /** Is not loaded without Spring Security. */
    private static final class Tokens {

        /** Adds the token, which puts it into the session if it is not there yet. */
        static Mono<Void> add(ServerWebExchange exchange) {
            Mono<CsrfToken> token = exchange.getAttribute(CsrfToken.class.getName());
            return token == null
                    ? Mono.empty()
                    : token.doOnNext(known -> add(known, exchange.getResponse().getHeaders()))
                            .then();
        }

        private static void add(CsrfToken token, HttpHeaders headers) {
            headers.set(AnswerPlans.TOKEN, token.getToken());
            headers.set(AnswerPlans.TOKEN_HEADER, token.getHeaderName());
        }
    }
}
