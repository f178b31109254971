package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
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
            // A listener may write it into a line.
            assertThat(server.post("wheelscheduler/a%0Ab", "{\"action\": \"pause\"}")
                            .status())
                    .isEqualTo(404);
            assertThat(told(server).get(1).target().task()).isEqualTo("a?b");
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void senselessRequestIsToldAndLogged(CapturedOutput output) {
        try (ActuatorServer server = start()) {
            for (String[] request : new String[][] {
                {"wheelscheduler", "{'of': 'taks', 'action': 'pause'}", "of must be tasks or scheduler, was taks"},
                {"wheelscheduler", "{'action': 'pause', 'group': 'x'}", "group, text, state and expected must only be"},
                {"wheelscheduler", "{'of': 'tasks', 'action': 'pause', 'expected': 'few'}", "expected must be a number"
                },
                {"wheelscheduler", "{'of': 'tasks', 'action': 'pause', 'state': 'odd'}", "state must be one of"},
                {TASK, "{'action': 'retime', 'fixedRate': '1s', 'preview': 'yes'}", "preview must be true or false"},
                {TASK, "{'action': 'stack', 'cron': '@daily'}", "must only be given with the action retime"},
                {TASK, "{'action': 'pause', 'id': 'other'}", "id must be left out or be the same as in the path"}
            }) {
                told(server).clear();
                Answer refused = server.post(request[0], request[1].replace('\'', '"'));
                assertThat(refused.status()).as(refused.text()).isEqualTo(400);
                assertThat(refused.textAt("error")).contains(request[2]);
                assertThat(told(server))
                        .as(request[1])
                        .singleElement()
                        .satisfies(steering -> assertThat(steering.refusal()).contains(request[2]));
                assertThat(output.getOut().lines().filter(line -> line.contains("was refused: ")))
                        .as(request[1])
                        .filteredOn(line -> line.contains(request[2]))
                        .hasSize(1);
            }
            assertThat(server.wheel().isRunning()).isTrue();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void errorOfASteeringIsToldAndLogged(CapturedOutput output) {
        List<Steering> told = new CopyOnWriteArrayList<>();
        StaticListableBeanFactory beans =
                new StaticListableBeanFactory(Map.of("telling", (SteeringListener) told::add));
        SteeringLog log = new SteeringLog(
                LogFactory.getLog(SteeringListenersTest.class), beans.getBeanProvider(SteeringListener.class), false);
        NoClassDefFoundError error = new NoClassDefFoundError("of/a/Trigger");
        assertThatThrownBy(() -> log.steer(
                        new SteeringLog.Caller(Channel.HTTP, "eve", null),
                        "resume",
                        Steering.Target.ofTask(null, "x"),
                        "x",
                        () -> {
                            throw error;
                        }))
                .isSameAs(error);
        assertThat(told).extracting(Steering::refusal).containsExactly("of/a/Trigger");
        assertThat(output).containsOnlyOnce("was refused: action resume on task x; cause: of/a/Trigger");
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
