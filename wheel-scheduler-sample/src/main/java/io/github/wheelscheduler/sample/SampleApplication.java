package io.github.wheelscheduler.sample;

import io.github.wheelscheduler.sample.connections.ConnectionsDemo;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * A heartbeat ten times a second beside several slow tasks. With {@code --scheduler=spring} it runs on the scheduler of
 * Spring Boot instead of the wheel; with {@code --demo=connections} it shows many connections instead, and ends.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableScheduling
public class SampleApplication {

    private static final int CONNECTIONS = 100_000;
    private static final Duration TIME = Duration.ofSeconds(30);
    private static final Duration BEAT = Duration.ofSeconds(2);
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(5);

    public static void main(String[] args) throws InterruptedException {
        DefaultApplicationArguments arguments = new DefaultApplicationArguments(args);
        if (!arguments.containsOption("demo")) {
            SpringApplication.run(SampleApplication.class, args);
            return;
        }
        String demo = last(arguments, "demo", "");
        if (!demo.equals("connections")) {
            throw new IllegalArgumentException("demo must be connections, was '" + demo + "'");
        }
        int connections = Integer.parseInt(last(arguments, "connections", String.valueOf(CONNECTIONS)));
        Duration time = DurationStyle.detectAndParse(last(arguments, "time", TIME.toString()));
        ConnectionsDemo connectionsDemo = new ConnectionsDemo(connections, time, BEAT, IDLE_LIMIT);
        System.out.printf(
                "%n%,d connections, for %s on the wheel and then as long on Spring's own scheduler...%n%n",
                connections, Texts.of(time));
        System.out.println(connectionsDemo.play());
    }

    private static String last(DefaultApplicationArguments arguments, String option, String otherwise) {
        var values = arguments.getOptionValues(option);
        return values == null || values.isEmpty() ? otherwise : values.get(values.size() - 1);
    }

    @Bean
    static TaskBoard taskBoard() {
        return new TaskBoard(InstantSource.system());
    }
}
