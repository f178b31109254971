package org.example.testkit;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An application with a task that no test waits for. */
@SpringBootApplication
@EnableScheduling
public class TestedApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(TestedApplication.class, arguments);
    }

    @Bean
    AtomicInteger nights() {
        return new AtomicInteger();
    }

    @Scheduled(cron = "0 0 3 * * *")
    void cleanUp() {
        nights().incrementAndGet();
    }
}
