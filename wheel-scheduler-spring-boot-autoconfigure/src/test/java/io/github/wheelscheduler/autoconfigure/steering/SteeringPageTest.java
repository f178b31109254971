package io.github.wheelscheduler.autoconfigure.steering;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The listener of docs/actuator-steering.md, which receives a call in Java. */
class SteeringPageTest {

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Audited {

        final List<String> lines = new CopyOnWriteArrayList<>();

        @Bean
        SteeringListener audit() {
            return steering -> lines.add(steering.who() + ": " + steering.action() + " of "
                    + steering.target().task() + ", because: " + steering.reason());
        }

        void release(TaskRegistry tasks) {
            SteeredBy.name("release 12").because("the table is rebuilt").run(() -> tasks.pause("nightly"));
        }
    }

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    TaskSchedulingAutoConfiguration.class,
                    WheelTaskSchedulerBuilderAutoConfiguration.class,
                    WheelSchedulerAutoConfiguration.class,
                    TimerWheelAutoConfiguration.class,
                    SteeringAutoConfiguration.class));

    @Test
    void callThatNamesItselfIsInTheAudit() {
        application.withUserConfiguration(Audited.class).run(context -> {
            TaskRegistry tasks = context.getBean(WheelTaskScheduler.class).getTaskRegistry();
            ScheduledFuture<?> ignored =
                    tasks.schedule("nightly", () -> {}, TaskSchedule.fixedRate(Duration.ofDays(1)));
            Audited audited = context.getBean(Audited.class);
            audited.release(tasks);
            tasks.resume("nightly");
            assertThat(audited.lines).containsExactly("release 12: pause of nightly, because: the table is rebuilt");
        });
    }

    @Test
    void applicationWithoutAListenerHasNothingOfIt() {
        application.run(context -> assertThat(context).doesNotHaveBean(SteeredSchedulers.class));
    }
}
