package io.github.wheelscheduler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** What the log says, at debug, of calls that steer a whole scheduler. */
class SteeringLogTest {

    private final Logger logger = Logger.getLogger(WheelTaskScheduler.class.getName());
    private final LogCapture log = LogCapture.of(WheelTaskScheduler.class);
    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @BeforeEach
    void name() {
        scheduler.setThreadNamePrefix("jobs-");
    }

    @AfterEach
    void close() {
        scheduler.shutdown();
        logger.setLevel(null);
        log.close();
    }

    private List<String> steerings() {
        return log.said("Steered by a Java call: ");
    }

    private void steer() {
        scheduler.setMode(SchedulerMode.HALTED);
        scheduler.setMode(SchedulerMode.RUN);
        scheduler.stop();
        scheduler.start();
    }

    @Test
    void eachCallIsOneLineAtDebug() {
        logger.setLevel(Level.FINE);
        scheduler.setMode(SchedulerMode.HALTED);
        scheduler.initialize();
        assertThat(steerings()).isEmpty();
        steer();
        assertThat(steerings())
                .containsExactly(
                        "Steered by a Java call: mode HALTED of scheduler jobs-",
                        "Steered by a Java call: mode RUN of scheduler jobs-",
                        "Steered by a Java call: pause of scheduler jobs-",
                        "Steered by a Java call: resume of scheduler jobs-");
    }

    @Test
    void nothingIsSaidAboveDebug() {
        scheduler.initialize();
        steer();
        assertThat(steerings()).isEmpty();
    }

    @Test
    void contextThatStopsStartsAndClosesIsOneLineEach() {
        logger.setLevel(Level.FINE);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean("scheduler", WheelTaskScheduler.class, () -> scheduler);
            context.refresh();
            assertThat(steerings()).isEmpty();
            context.stop();
            context.start();
        }
        // Closing pauses what has not ended by then.
        assertThat(steerings()).hasSizeBetween(2, 3);
        assertThat(steerings().subList(0, 2))
                .containsExactly(
                        "Steered by a Java call: pause of scheduler scheduler",
                        "Steered by a Java call: resume of scheduler scheduler");
    }

    @Test
    void schedulerThatOutlivesTheContextIsNotPaused() {
        logger.setLevel(Level.FINE);
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean("scheduler", WheelTaskScheduler.class, () -> scheduler);
            context.refresh();
        }
        assertThat(steerings()).isEmpty();
    }
}
