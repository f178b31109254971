package io.github.wheelscheduler.autoconfigure.dashboard;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;

/** The {@link CrossSiteServletMapping} of WebFlux. */
final class CrossSiteReactiveMapping implements HandlerMapping, Ordered {

    private static final WebHandler REFUSAL = exchange -> refuse(exchange.getResponse());

    private final CrossSiteRule rule;

    CrossSiteReactiveMapping(CrossSiteRule rule) {
        this.rule = rule;
    }

    @Override
    public Mono<Object> getHandler(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        HttpHeaders headers = request.getHeaders();
        boolean refused =
                CrossSiteRule.isCrossSite(request.getMethod().name(), headers.getOrEmpty(CrossSiteRule.HEADER))
                        && rule.refuses(headers.getOrigin(), request.getPath().pathWithinApplication());
        return refused ? Mono.just(REFUSAL) : Mono.empty();
    }

    private static Mono<Void> refuse(ServerHttpResponse response) {
        response.setStatusCode(HttpStatus.FORBIDDEN);
        response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(CrossSiteRule.ANSWER)));
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
