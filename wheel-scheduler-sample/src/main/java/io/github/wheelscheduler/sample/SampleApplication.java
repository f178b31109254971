package io.github.wheelscheduler.sample;

import io.github.wheelscheduler.sample.connections.ConnectionsDemo;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
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

    private static final String DEMO = "demo";
    private static final List<String> OPTIONS_OF_DEMO = List.of(DEMO, "connections", "time");
    private static final Duration BEAT = Duration.ofSeconds(2);
    private static final Duration IDLE_LIMIT = Duration.ofSeconds(5);

    public static void main(String[] args) throws InterruptedException {
        DefaultApplicationArguments arguments = new DefaultApplicationArguments(args);
        if (!arguments.containsOption(DEMO)) {
            SpringApplication.run(SampleApplication.class, args);
            return;
        }
        ConnectionsDemo demo;
        try {
            demo = demoOf(arguments);
        } catch (IllegalArgumentException ex) {
            System.err.println(ex.getMessage());
            System.exit(2);
            return;
        }
        System.out.printf("%n%s, on the wheel and then on Spring's own scheduler...%n%n", demo);
        System.out.println(demo.play());
    }

    /** Returns the demonstration that the options ask for; throws if they do not fit, with the rule and the value. */
    static ConnectionsDemo demoOf(ApplicationArguments arguments) {
        for (String option : arguments.getOptionNames()) {
            if (!OPTIONS_OF_DEMO.contains(option)) {
                throw new IllegalArgumentException("option must be one of " + OPTIONS_OF_DEMO + ", was --" + option);
            }
        }
        String name = last(arguments, DEMO, "");
        if (!name.equals("connections")) {
            throw new IllegalArgumentException("--demo must be connections, was '" + name + "'");
        }
        String connections = last(arguments, "connections", "100000");
        if (!connections.matches("[0-9]{1,8}")) {
            throw new IllegalArgumentException(
                    "--connections must be a number up to 99999999, was '" + connections + "'");
        }
        String time = last(arguments, "time", "30s");
        if (!time.matches("[0-9]{1,5}s")) {
            throw new IllegalArgumentException("--time must be in seconds, such as 30s, was '" + time + "'");
        }
        return new ConnectionsDemo(Integer.parseInt(connections), DurationStyle.detectAndParse(time), BEAT, IDLE_LIMIT);
    }

    private static String last(ApplicationArguments arguments, String option, String otherwise) {
        List<String> values = arguments.getOptionValues(option);
        return values == null || values.isEmpty() ? otherwise : values.get(values.size() - 1);
    }

    @Bean
    static TaskBoard taskBoard() {
        return new TaskBoard(InstantSource.system());
    }
}
