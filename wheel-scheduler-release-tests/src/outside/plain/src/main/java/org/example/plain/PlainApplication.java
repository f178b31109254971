package org.example.plain;

import java.util.concurrent.CountDownLatch;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** What the README shows: one dependency, and nothing else. */
@SpringBootApplication
@EnableScheduling
public class PlainApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(PlainApplication.class, arguments);
    }

    @Bean
    CountDownLatch beats() {
        return new CountDownLatch(3);
    }

    @Scheduled(fixedRate = 10)
    void beat() {
        beats().countDown();
    }
}
