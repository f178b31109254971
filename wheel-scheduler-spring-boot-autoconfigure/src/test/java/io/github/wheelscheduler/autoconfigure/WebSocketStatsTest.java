package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.socket.config.WebSocketMessageBrokerStats;
import org.springframework.web.socket.config.annotation.DelegatingWebSocketMessageBrokerConfiguration;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;

/** The statistics of a message broker read the scheduler's thread pool, whichever scheduler it is. */
class WebSocketStatsTest {

    @Test
    void statsOfABrokerOnTheWheelAreThoseOfItsPool() {
        assertStats(OnTheWheel.class);
    }

    @Test
    void statsOfABrokerOnSpringsSchedulerAreTheControl() {
        assertStats(DelegatingWebSocketMessageBrokerConfiguration.class);
    }

    private static void assertStats(Class<?> configuration) {
        new WebApplicationContextRunner()
                .withUserConfiguration(configuration, Broker.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    WebSocketMessageBrokerStats stats = context.getBean(WebSocketMessageBrokerStats.class);
                    ThreadPoolTaskScheduler scheduler =
                            context.getBean("messageBrokerTaskScheduler", ThreadPoolTaskScheduler.class);
                    int before = scheduler
                            .getScheduledThreadPoolExecutor()
                            .getQueue()
                            .size();
                    var pending = scheduler.scheduleAtFixedRate(
                            () -> {}, Instant.now().plusSeconds(3_600), Duration.ofHours(1));
                    assertThat(stats.getSockJsTaskSchedulerStatsInfo())
                            .matches("pool size = \\d, active threads = \\d, queued tasks = " + (before + 1)
                                    + ", completed tasks = 0");
                    assertThat(stats.toString()).contains(stats.getSockJsTaskSchedulerStatsInfo());
                    assertThat(pending.cancel(false)).isTrue();
                });
    }

    @Configuration
    static class OnTheWheel extends DelegatingWebSocketMessageBrokerConfiguration {

        @Bean
        @Override
        public TaskScheduler messageBrokerTaskScheduler() {
            return new WheelTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Broker implements WebSocketMessageBrokerConfigurer {

        @Override
        public void registerStompEndpoints(StompEndpointRegistry registry) {
            registry.addEndpoint("/stomp").withSockJS();
        }

        @Override
        public void configureMessageBroker(MessageBrokerRegistry registry) {
            registry.enableSimpleBroker("/topic");
        }
    }
}
