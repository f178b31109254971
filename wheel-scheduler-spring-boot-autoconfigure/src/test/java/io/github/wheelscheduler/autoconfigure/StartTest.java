package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

/** The start of an application takes little more for the wheel. */
class StartTest {

    /** Each costs a third of a millisecond or so, also one that stands for a lambda. */
    private static final int MOST_CLASSES = 254;

    /** A busy machine starts the task late, and that is logged. */
    private static final Pattern OF_WARNINGS = Pattern.compile("\\.(GatheredLine|SchedulerWarnings)\\$\\$Lambda");

    @Test
    void startLoadsFewClassesOfOurs(@TempDir Path directory) throws IOException, InterruptedException {
        Path log = directory.resolve("classes");
        List<String> ignored = new ChildJvm(
                        "start",
                        List.of("-Xlog:class+load:file=" + log, "-Dspring.backgroundpreinitializer.ignore=true"),
                        Application.class,
                        List.of())
                .awaitSuccess(Duration.ofMinutes(2));

        try (Stream<String> lines = Files.lines(log)) {
            List<String> ours = lines.filter(line -> line.contains("] io.github.wheelscheduler."))
                    .filter(line -> !line.contains("Test") && !line.contains("testing."))
                    .filter(line -> !OF_WARNINGS.matcher(line).find())
                    .toList();
            assertThat(ours).hasSizeBetween(100, MOST_CLASSES);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(SchedulingContexts.Scheduling.class)
    @ImportAutoConfiguration({
        TaskSchedulingAutoConfiguration.class,
        WheelTaskSchedulerBuilderAutoConfiguration.class,
        WheelSchedulerAutoConfiguration.class,
        TimerWheelAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class
    })
    static class Application {

        public static void main(String[] args) {
            ConfigurableApplicationContext ignored = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run(args);
            // What a close needs does not count.
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void listenerMethodOfAnOwnSchedulerIsFound() {
        withScheduling()
                .withBean("own", Listening.class)
                .run(context ->
                        assertThat(context.getBean(Listening.class).events).hasPositiveValue());
    }

    static class Listening extends WheelTaskScheduler {

        private final AtomicInteger events = new AtomicInteger();

        @EventListener
        public void refreshed(ContextRefreshedEvent event) {
            events.incrementAndGet();
        }
    }
}
