package io.github.wheelscheduler.spring.steering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.Steering.Channel;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.spring.task.UnknownTaskException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls in Java that steer and were given a name. */
class SteeredByTest {

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final List<Steering> told = new ArrayList<>();
    private TaskRegistry tasks;

    @BeforeEach
    void start() {
        scheduler.initialize();
        tasks = scheduler.getTaskRegistry();
        ScheduledFuture<?> ignored = tasks.schedule("nightly", () -> {}, TaskSchedule.cron("0 0 2 29 2 *"));
    }

    @AfterEach
    void close() {
        scheduler.shutdown();
    }

    private static SteeredBy release() {
        return SteeredBy.name("release 12").because("the table is rebuilt");
    }

    @Test
    void namedCallIsToldWithWhatItChanged() {
        tasks.addSteeringListener(told::add);
        release().run(() -> tasks.pause("nightly"));
        assertThat(told)
                .containsExactly(new Steering(
                        Channel.JAVA,
                        "release 12",
                        "pause",
                        Steering.Target.ofTask(null, "nightly"),
                        "PENDING cron 0 0 2 29 2 *",
                        "PAUSED cron 0 0 2 29 2 *",
                        "the table is rebuilt",
                        null));
    }

    @Test
    void callWithoutANameIsNotTold() {
        tasks.addSteeringListener(told::add);
        tasks.pause("nightly");
        scheduler.stop();
        scheduler.start();
        assertThat(told).isEmpty();
        assertThat(SteeredBy.current()).isNull();
    }

    @Test
    void refusedCallIsToldAndFails() {
        tasks.addSteeringListener(told::add);
        assertThatExceptionOfType(UnknownTaskException.class)
                .isThrownBy(() -> release().run(() -> tasks.trigger("weekly")));
        assertThat(told).singleElement().satisfies(steering -> {
            assertThat(steering.isRefused()).isTrue();
            assertThat(steering.refusal()).contains("weekly");
            assertThat(steering.to()).isNull();
        });
        assertThat(SteeredBy.current()).isNull();
    }

    private static final class Unreadable extends RuntimeException {

        @Override
        public String getMessage() {
            throw new StackOverflowError("on purpose");
        }
    }

    @Test
    void refusalWithoutAReadableMessageIsItsClass() {
        assertThat(NamedSteering.refusalOf(new Unreadable())).isEqualTo(Unreadable.class.getName());
        assertThat(NamedSteering.refusalOf(new IllegalStateException("full"))).isEqualTo("full");
    }

    @Test
    void eachActionIsTold() {
        tasks.addSteeringListener(told::add);
        release().run(() -> {
            tasks.resume("nightly");
            tasks.retime("nightly", TaskSchedule.fixedRate(Duration.ofHours(1)));
            tasks.reset("nightly");
            tasks.trigger("nightly");
            await().until(() ->
                    tasks.get("nightly").runs() == 1 && tasks.get("nightly").state() == TaskInfo.State.PENDING);
            scheduler.setMode(SchedulerMode.HALTED);
            scheduler.stop();
            scheduler.start();
            scheduler.setMode(SchedulerMode.RUN);
            scheduler.setMode(SchedulerMode.OFF);
        });
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> release().call(() -> tasks.interrupt("nightly")));
        assertThat(told)
                .extracting(Steering::action)
                .containsExactly(
                        "resume", "retime", "reset", "trigger", "halt", "pause", "resume", "run", "off", "interrupt");
        assertThat(told.get(1).to()).isEqualTo("PENDING fixed-rate PT1H");
        assertThat(told.get(5)).extracting(Steering::from, Steering::to).containsExactly("HALTED", "PAUSED HALTED");
        assertThat(told.get(5).target().task()).isNull();
    }

    @Test
    void innerNameHidesTheOuterOne() {
        tasks.addSteeringListener(told::add);
        release().run(() -> {
            SteeredBy.name("inner").run(() -> tasks.pause("nightly"));
            tasks.resume("nightly");
        });
        assertThat(told).extracting(Steering::who).containsExactly("inner", "release 12");
        assertThat(told.get(0).reason()).isNull();
    }

    @Test
    void listenerThatFailsHarmsNoSteering() {
        SteeringListener broken = steering -> {
            throw new AssertionError("no ink");
        };
        tasks.addSteeringListener(broken);
        tasks.addSteeringListener(told::add);
        release().run(() -> tasks.pause("nightly"));
        tasks.removeSteeringListener(broken);
        assertThat(told).hasSize(1);
        assertThat(tasks.get("nightly").state().name()).isEqualTo("PAUSED");
    }

    @Test
    void listenerThatIsRemovedIsToldNothing() {
        SteeringListener listener = told::add;
        tasks.removeSteeringListener(listener);
        tasks.addSteeringListener(listener);
        tasks.removeSteeringListener(listener);
        release().run(() -> tasks.pause("nightly"));
        assertThat(told).isEmpty();
    }

    @Test
    void nameAndReasonAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SteeredBy.name(" "))
                .withMessage("name must not be blank, was ' '");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SteeredBy.name("x".repeat(101)))
                .withMessage("name must have at most 100 characters, had 101");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SteeredBy.name("x").because("y".repeat(201)))
                .withMessage("reason must have at most 200 characters, had 201");
    }
}
