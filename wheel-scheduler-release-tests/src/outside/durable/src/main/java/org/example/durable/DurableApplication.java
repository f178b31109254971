package org.example.durable;

import io.github.wheelscheduler.durable.DurableHandler;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Tasks in a database that is in memory. */
@SpringBootApplication
public class DurableApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(DurableApplication.class, arguments);
    }

    @Bean
    BlockingQueue<String> greeted() {
        return new LinkedBlockingQueue<>();
    }

    @DurableHandler("greeting")
    void greet(String name) {
        greeted().add(name);
    }
}
