package io.github.wheelscheduler.browser;

import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A {@link Shop} with Spring Security as Spring Boot sets it up, whose sessions a test can reach. */
@Configuration(proxyBeanMethods = false)
@Import(Shop.class)
public class SecuredShop {

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    Sessions sessions() {
        return new Sessions();
    }

    static final class Sessions implements HttpSessionListener {

        private final Queue<HttpSession> open = new ConcurrentLinkedQueue<>();

        @Override
        public void sessionCreated(HttpSessionEvent event) {
            open.add(event.getSession());
        }

        @Override
        public void sessionDestroyed(HttpSessionEvent event) {
            open.remove(event.getSession());
        }

        Queue<HttpSession> open() {
            return open;
        }
    }
}
