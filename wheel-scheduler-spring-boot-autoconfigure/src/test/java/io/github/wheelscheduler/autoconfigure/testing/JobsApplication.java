package io.github.wheelscheduler.autoconfigure.testing;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** An application with {@link Jobs} and everything that Boot finds on the class path. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfigurationButDurable
@EnableScheduling
public class JobsApplication {

    @Bean
    Jobs jobs() {
        return new Jobs();
    }
}
