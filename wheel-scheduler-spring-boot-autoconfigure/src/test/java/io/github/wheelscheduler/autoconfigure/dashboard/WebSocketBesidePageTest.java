package io.github.wheelscheduler.autoconfigure.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.SimpleUrlHandlerMapping;
import org.springframework.web.reactive.socket.WebSocketHandler;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.handler.TextWebSocketHandler;

/** A WebSocket of the application and the page work beside each other. */
class WebSocketBesidePageTest {

    private static final String PATH = "/echo";
    private static final String ANSWER = "you said: ";

    @Configuration(proxyBeanMethods = false)
    @EnableWebSocket
    @Import(JobsApplication.class)
    static class OnMvc implements WebSocketConfigurer {

        @Override
        public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(new Echo(), PATH);
        }
    }

    private static final class Echo extends TextWebSocketHandler {

        @Override
        protected void handleTextMessage(WebSocketSession session, TextMessage message) throws IOException {
            session.sendMessage(new TextMessage(ANSWER + message.getPayload()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class OnWebFlux {

        @Bean
        static HandlerMapping webSockets() {
            WebSocketHandler echo = session -> session.send(
                    session.receive().map(message -> session.textMessage(ANSWER + message.getPayloadAsText())));
            return new SimpleUrlHandlerMapping(Map.of(PATH, echo), -1);
        }
    }

    @Test
    void bothWorkOnMvc() throws Exception {
        assertBothWork(OnMvc.class, "servlet");
    }

    @Test
    void bothWorkOnWebFlux() throws Exception {
        assertBothWork(OnWebFlux.class, "reactive");
    }

    private static void assertBothWork(Class<?> application, String type) throws Exception {
        try (DashboardSite site = DashboardSite.start(application, "spring.main.web-application-type=" + type)) {
            CompletableFuture<String> answer = new CompletableFuture<>();
            WebSocket socket = HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("ws" + site.at(PATH).toString().substring("http".length())), into(answer))
                    .get(30, TimeUnit.SECONDS);
            assertThat(site.get("/actuator/wheeldashboard").statusCode()).isEqualTo(200);
            assertThat(site.get("/actuator/wheelscheduler").statusCode()).isEqualTo(200);
            assertThat(site.post("/actuator/wheelscheduler/" + Jobs.FAIL, "{\"action\": \"pause\"}")
                            .statusCode())
                    .isEqualTo(200);
            socket.sendText("hello", true).get(30, TimeUnit.SECONDS);
            assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(ANSWER + "hello");
            socket.abort();
        }
    }

    private static WebSocket.Listener into(CompletableFuture<String> answer) {
        return new WebSocket.Listener() {
            @Override
            public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
                answer.complete(data.toString());
                return null;
            }
        };
    }
}
