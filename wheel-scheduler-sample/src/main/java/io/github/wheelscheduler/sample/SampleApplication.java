package io.github.wheelscheduler.sample;

import java.time.InstantSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * A heartbeat ten times a second beside several slow tasks. With {@code --scheduler=spring} it runs on the scheduler of
 * Spring Boot instead of the wheel.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    @Bean
    static TaskBoard taskBoard() {
        return new TaskBoard(InstantSource.system());
    }
}
