package io.github.wheelscheduler.sample;

import java.io.IOException;
import java.time.InstantSource;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * A heartbeat ten times a second beside several slow tasks. With {@code --scheduler=spring} it runs on the scheduler of
 * Spring Boot instead of the wheel; with {@code --demo=connections} or {@code --demo=cluster} it shows something else
 * instead, and ends.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

    private static final int NOT_POSSIBLE = 1;
    private static final int WRONG_OPTION = 2;

    public static void main(String[] args) {
        DefaultApplicationArguments arguments = new DefaultApplicationArguments(args);
        if (DemoOptions.ask(arguments)) {
            show(arguments);
        } else {
            SpringApplication.run(SampleApplication.class, args);
        }
    }

    private static void show(ApplicationArguments arguments) {
        Demo demo;
        try {
            demo = DemoOptions.demoOf(arguments);
        } catch (IllegalArgumentException ex) {
            fail(WRONG_OPTION, ex);
            return;
        }
        System.out.printf("%n%s...%n%n", demo.introduction());
        try {
            System.out.println(demo.play());
        } catch (IOException ex) {
            fail(NOT_POSSIBLE, ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt(); // the process is ending
        }
    }

    private static void fail(int status, Exception ex) {
        System.err.println(ex.getMessage());
        System.exit(status);
    }

    @Bean
    static TaskBoard taskBoard() {
        return new TaskBoard(InstantSource.system());
    }
}
