package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Durable tasks end within their limit, however long a request of the same application takes. */
class ClosingBesideAWebServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final CountDownLatch isRequested = new CountDownLatch(1);
    private static final CountDownLatch mayAnswer = new CountDownLatch(1);
    private static final CountDownLatch isRunning = new CountDownLatch(1);
    private static final CountDownLatch isInterrupted = new CountDownLatch(1);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.servlet"
                        + ".ManagementWebSecurityAutoConfiguration"
            })
    @RestController
    static class Application {

        @GetMapping("/slow")
        String slow() throws InterruptedException {
            isRequested.countDown();
            mayAnswer.await();
            return "done";
        }

        @DurableHandler("long")
        void run() throws InterruptedException {
            isRunning.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException ex) {
                isInterrupted.countDown();
                throw ex;
            }
        }
    }

    @Test
    void runIsInterruptedAtItsLimitWhileARequestGoesOn() throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .run(
                        "--server.port=0",
                        "--server.shutdown=graceful",
                        "--spring.lifecycle.timeout-per-shutdown-phase=5m",
                        "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "--wheel.scheduler.durable.close-limit=500ms");
        String port = context.getEnvironment().getProperty("local.server.port");
        CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/slow"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        isRequested.await();
        assertThat(context.getBean(DurableTasks.class).schedule("long", "1", null, Instant.now()))
                .isTrue();
        isRunning.await();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        await().atMost(PATIENCE).until(() -> isInterrupted.getCount() == 0);
        assertThat(answer).isNotDone();
        assertThat(closed).isNotDone();
        mayAnswer.countDown();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(closed).isDone());
        assertThat(answer.get().body()).isEqualTo("done");
    }
}
