package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.Steering.Channel;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import io.github.wheelscheduler.spring.task.TaskInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/** Listeners of an application receive each steering, with who, what and why. */
class SteeringListenersTest {

    private static final String TASK = "wheelscheduler/" + Jobs.REST;

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class Listening {

        final List<Steering> told = new CopyOnWriteArrayList<>();

        @Bean
        SteeringListener breaking() {
            return steering -> {
                throw new IllegalStateException("no ink");
            };
        }

        @Bean
        SteeringListener telling() {
            return told::add;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class Unmade {

        @Bean
        @Lazy
        SteeringListener unmade() {
            throw new IllegalStateException("no ink");
        }
    }

    @Test
    void listenerThatCannotBeMadePreventsNoSteering() {
        try (ActuatorServer server = start(Unmade.class)) {
            Answer paused = server.post(TASK, "{\"action\": \"pause\"}");
            assertThat(paused.status()).as(paused.text()).isEqualTo(200);
            assertThat(server.post("wheelscheduler", "{\"of\": \"tasks\", \"text\": \"rest\", \"action\": \"resume\"}")
                            .numberAt("done"))
                    .isEqualTo(1);
        }
    }

    private static ActuatorServer start(String... properties) {
        return start(Listening.class, properties);
    }

    private static ActuatorServer start(Class<?> application, String... properties) {
        String[] all = new String[properties.length + 1];
        System.arraycopy(properties, 0, all, 1, properties.length);
        all[0] = "management.endpoint.wheelscheduler.access=unrestricted";
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                application,
                all);
    }

    private static List<Steering> told(ActuatorServer server) {
        return server.context().getBean(Listening.class).told;
    }

    @Test
    void steeringOverHttpIsToldWithItsReason() {
        try (ActuatorServer server = start()) {
            Answer paused = server.post(TASK, "{\"action\": \"pause\", \"reason\": \" moving the disks \"}");
            assertThat(paused.status()).as(paused.text()).isEqualTo(200);
            assertThat(told(server))
                    .containsExactly(new Steering(
                            Channel.HTTP,
                            null,
                            "pause",
                            Steering.Target.ofTask("taskScheduler", Jobs.REST),
                            "PENDING every hour",
                            "PAUSED every hour",
                            "moving the disks",
                            null));
        }
    }

    @Test
    void refusedSteeringIsToldWithWhyItWas() {
        try (ActuatorServer server = start()) {
            assertThat(server.post("wheelscheduler/lost", "{\"action\": \"pause\"}")
                            .status())
                    .isEqualTo(404);
            assertThat(told(server)).singleElement().satisfies(steering -> {
                assertThat(steering.target().task()).isEqualTo("lost");
                assertThat(steering.refusal()).contains("lost");
                assertThat(steering.to()).isNull();
            });
        }
    }

    @Test
    void oneCallForManyTasksIsToldForEachAndForAll() {
        try (ActuatorServer server = start()) {
            Answer answer = server.post(
                    "wheelscheduler",
                    "{\"of\": \"tasks\", \"text\": \"rest\", \"action\": \"pause\", \"reason\": \"quiet\"}");
            assertThat(answer.numberAt("done")).isEqualTo(1);
            assertThat(told(server)).hasSize(2);
            assertThat(told(server).get(0))
                    .isEqualTo(new Steering(
                            Channel.HTTP,
                            null,
                            "pause",
                            Steering.Target.ofTask("taskScheduler", Jobs.REST),
                            "PENDING",
                            "PAUSED",
                            "quiet",
                            null));
            assertThat(told(server).get(1).target().filter()).isEqualTo("text rest");
            assertThat(told(server).get(1).to()).isEqualTo("1 done and 0 refused");
        }
    }

    @Test
    void wholeSchedulerIsToldByItsName() {
        try (ActuatorServer server = start()) {
            assertThat(server.post("wheelscheduler", "{\"action\": \"pause\", \"reason\": \"release 12\"}")
                            .textAt("pause.reason"))
                    .isEqualTo("release 12");
            assertThat(server.post("wheelscheduler", "{\"action\": \"resume\", \"reason\": \"released\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(told(server))
                    .extracting(Steering::action, steering -> steering.target().scheduler(), Steering::reason)
                    .containsExactly(
                            tuple("pause", "taskScheduler", "release 12"),
                            tuple("resume", "taskScheduler", "released"));
        }
    }

    @Test
    void steeringWithoutAReasonIsRefusedWhereOneIsRequired() {
        try (ActuatorServer server = start("wheel.scheduler.endpoint.require-reason=true")) {
            for (String reason : List.of("", ", \"reason\": \"  \"")) {
                Answer refused = server.post(TASK, "{\"action\": \"pause\"" + reason + "}");
                assertThat(refused.status()).isEqualTo(400);
                assertThat(refused.textAt("error"))
                        .isEqualTo("reason must be given, as wheel.scheduler.endpoint.require-reason is true, was"
                                + " nothing");
            }
            WheelTaskScheduler scheduler = server.wheel();
            assertThat(scheduler.getTaskRegistry().get(Jobs.REST).state()).isEqualTo(TaskInfo.State.PENDING);
            assertThat(server.post(TASK, "{\"action\": \"stack\"}").status()).isEqualTo(200);
            assertThat(server.post(TASK, "{\"action\": \"pause\", \"reason\": \"disk\"}")
                            .textAt("state"))
                    .isEqualTo("PAUSED");
            assertThat(told(server)).extracting(Steering::isRefused).containsExactly(true, true, false, false);
        }
    }

    @Test
    void answerSaysWhetherAReasonIsRequired() {
        try (ActuatorServer strict = start("wheel.scheduler.endpoint.require-reason=true");
                ActuatorServer usual = start()) {
            assertThat(strict.get("wheelscheduler").text()).contains("\"reasonRequired\":true");
            assertThat(usual.get("wheelscheduler").text()).contains("\"reasonRequired\":false");
        }
    }

    @Test
    void namedCallInJavaIsToldWithTheNameOfTheScheduler() {
        try (ActuatorServer server = start()) {
            SteeredBy.name("release 12")
                    .run(() -> server.wheel().getTaskRegistry().pause(Jobs.REST));
            server.wheel().getTaskRegistry().resume(Jobs.REST);
            assertThat(told(server)).singleElement().satisfies(steering -> {
                assertThat(steering.channel()).isEqualTo(Channel.JAVA);
                assertThat(steering.who()).isEqualTo("release 12");
                assertThat(steering.target()).isEqualTo(Steering.Target.ofTask("taskScheduler", Jobs.REST));
            });
        }
    }
}
