package org.example.webflux;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Mono;

/** A reactive application that shows its tasks. */
@SpringBootApplication
@EnableScheduling
public class WebFluxApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(WebFluxApplication.class, arguments);
    }

    @Scheduled(fixedRate = 100)
    Mono<Void> beat() {
        return Mono.empty();
    }
}
