package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.autoconfigure.endpoint.SchedulerDescriptor.Pause;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.Steering.Channel;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.support.CronTrigger;

/** The endpoint of an application that has several schedulers. */
class WheelSchedulerEndpointTest {

    private static final ZoneId TOKYO = ZoneId.of("Asia/Tokyo");
    private static final TaskSchedule HOURLY = TaskSchedule.cron("0 0 * * * *");

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(TwoSchedulers.class);
    private final WheelSchedulerEndpoint endpoint = new WheelSchedulerEndpoint(
            context, anyInterval(), true, "https://tracer.example/trace/{traceId}?from=wheel");
    private final WheelSchedulerEndpointJmxExtension jmx = new WheelSchedulerEndpointJmxExtension(endpoint);
    private final WheelTaskScheduler orders = context.getBean("orders", WheelTaskScheduler.class);
    private final WheelTaskScheduler reports = context.getBean("reports", WheelTaskScheduler.class);

    private static WheelSchedulerEndpointProperties anyInterval() {
        WheelSchedulerEndpointProperties properties = new WheelSchedulerEndpointProperties();
        properties.setMinInterval(Duration.ZERO);
        return properties;
    }

    private static SteeringLog.Caller caller(String name, @Nullable String reason) {
        return new SteeringLog.Caller(Channel.HTTP, name, reason);
    }

    @BeforeEach
    void schedule() {
        for (String name : List.of("clean", "ship")) {
            ScheduledFuture<?> unused = orders.getTaskRegistry().schedule(name, () -> {}, HOURLY);
        }
        for (String name : List.of("clean", "print")) {
            ScheduledFuture<?> unused = reports.getTaskRegistry().schedule(name, () -> {}, HOURLY);
        }
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void allSchedulersAreShownWithTheirTasks() {
        SchedulersDescriptor all = endpoint.schedulers(null, null, null);
        assertThat(all.schedulers()).extracting(SchedulerDescriptor::name).containsExactly("orders", "reports");
        assertThat(all.tasks())
                .extracting(task -> task.scheduler() + " " + task.id())
                .containsExactly("orders clean", "orders ship", "reports clean", "reports print");
        assertThat(all.total()).isEqualTo(4);
    }

    @Test
    void cronThatIsRetimedWithoutAZoneKeepsTheOneItHas() {
        ScheduledFuture<?> unused = orders.getTaskRegistry()
                .schedule("tokyo", () -> {}, TaskSchedule.trigger(new CronTrigger("0 0 5 * * *", TOKYO)));
        TaskDescriptor kept = jmx.steerTask("tokyo", "retime", null, null, null, "0 0 7 * * *", null, null, null);
        assertThat(kept.schedule().zone()).isEqualTo("Asia/Tokyo");
        assertThat(Objects.requireNonNull(kept.next()).atZone(TOKYO).toLocalTime())
                .hasToString("07:00");

        TaskDescriptor moved =
                jmx.steerTask("tokyo", "retime", null, null, null, "0 0 7 * * *", "Europe/Berlin", null, null);
        assertThat(moved.schedule().zone()).isEqualTo("Europe/Berlin");
        assertThat(Objects.requireNonNull(moved.next())
                        .atZone(ZoneId.of("Europe/Berlin"))
                        .toLocalTime())
                .hasToString("07:00");
    }

    @Test
    void failureNamesTheAddressOfItsTrace() {
        orders.setTraceIds(failure -> "4bf9 2f");
        Runnable failing = () -> {
            throw new IllegalStateException("on purpose");
        };
        ScheduledFuture<?> unused = orders.getTaskRegistry().schedule("failing", failing, HOURLY);
        orders.getTaskRegistry().trigger("failing");
        await().until(() -> orders.getTaskRegistry().lastError("failing").isPresent());
        await().until(() -> orders.getTaskRegistry().get("failing").failures() == 1);
        String url = "https://tracer.example/trace/4bf9+2f?from=wheel";
        TaskDescriptor task = endpoint.task("failing", null);
        assertThat(Objects.requireNonNull(task.lastError()))
                .extracting(TaskDescriptor.Thrown::traceId, TaskDescriptor.Thrown::traceUrl)
                .containsExactly("4bf9 2f", url);
        assertThat(task.recent())
                .extracting(TaskDescriptor.Run::traceId, TaskDescriptor.Run::traceUrl)
                .containsExactly(tuple("4bf9 2f", url));
        assertThat(endpoint.find(
                                new TaskRequest(null, null, null, null, null, null, null, null, null, null, "findings"))
                        .findings())
                .filteredOn(finding -> finding.rule().equals("failing"))
                .extracting(Finding::task, Finding::traceUrl)
                .containsExactly(tuple("failing", url));
    }

    @Test
    void pageGoesOnFromOneSchedulerToTheNext() {
        SchedulersDescriptor page = endpoint.schedulers(null, 1, 2);
        assertThat(page.tasks()).extracting(TaskDescriptor::id).containsExactly("ship", "clean");
        assertThat(endpoint.schedulers(null, 3, 2).tasks())
                .extracting(TaskDescriptor::id)
                .containsExactly("print");
    }

    @Test
    void tasksOfAllSchedulersArePutInOneOrder() {
        TaskRequest request = new TaskRequest(null, null, null, null, "id", "desc", null, null, 3, null, null);
        SchedulersDescriptor first = endpoint.find(request);
        assertThat(first.tasks())
                .extracting(task -> task.scheduler() + " " + task.id())
                .containsExactly("orders ship", "reports print", "reports clean");
        SchedulersDescriptor last =
                endpoint.find(new TaskRequest(null, null, null, null, "id", "desc", first.next(), null, 3, null, null));
        assertThat(last.tasks())
                .extracting(task -> task.scheduler() + " " + task.id())
                .containsExactly("orders clean");
        assertThat(last.next()).isNull();
    }

    @Test
    void groupAloneCanBeShown() {
        WheelTaskScheduler mails = new WheelTaskScheduler();
        mails.setGroupOf(orders, "mails", 10, OnFull.WAIT);
        mails.initialize();
        context.getBeanFactory().registerSingleton("mailsBean", mails);
        SchedulersDescriptor found =
                endpoint.find(new TaskRequest(null, "mails", null, null, null, null, null, null, null, null, null));
        assertThat(found.schedulers()).extracting(SchedulerDescriptor::name).containsExactly("mailsBean");
        assertThatExceptionOfType(UnknownNameException.class)
                .isThrownBy(() -> endpoint.find(
                        new TaskRequest(null, "none", null, null, null, null, null, null, null, null, null)))
                .withMessage("No group named none; there are [mails]");
    }

    @Test
    void oneSchedulerAloneCanBeShown() {
        SchedulersDescriptor one = endpoint.schedulers("reports", null, null);
        assertThat(one.schedulers()).extracting(SchedulerDescriptor::name).containsExactly("reports");
        assertThat(one.total()).isEqualTo(2);
    }

    @Test
    void taskIsFoundInWhicheverSchedulerHasIt() {
        assertThat(endpoint.task("print", null).scheduler()).isEqualTo("reports");
        TaskDescriptor paused = jmx.steerTask("ship", "PAUSE", null, null, null, null, null, null, null);
        assertThat(paused.state()).isEqualTo(TaskInfo.State.PAUSED);
        assertThat(orders.getTaskRegistry().get("ship").state()).isEqualTo(TaskInfo.State.PAUSED);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void steeringOfATaskThatEndsMeanwhileIsNoRefusal(CapturedOutput output) {
        List<Steering> told = new CopyOnWriteArrayList<>();
        context.getBeanFactory().registerSingleton("listener", (SteeringListener) told::add);
        Ending scheduler = new Ending();
        scheduler.initialize();
        context.getBeanFactory().registerSingleton("ending", scheduler);
        try {
            ScheduledFuture<?> fleeting = scheduler.getTaskRegistry().schedule("fleeting", () -> {}, HOURLY);
            scheduler.fleeting = fleeting;
            TaskDescriptor last = jmx.steerTask("fleeting", "pause", null, null, null, null, null, null, null);
            assertThat(last.id()).isEqualTo("fleeting");
            assertThat(last.scheduler()).isEqualTo("ending");
            assertThat(fleeting.isCancelled()).isTrue();
            assertThat(told).singleElement().satisfies(steering -> {
                assertThat(steering.isRefused()).isFalse();
                assertThat(steering.to()).isEqualTo("gone");
            });
            assertThat(output).contains("; after: gone").doesNotContain("refused");
        } finally {
            scheduler.shutdown();
        }
    }

    /** Cancels a task as soon as that has been paused. */
    private static final class Ending extends WheelTaskScheduler {

        private @Nullable ScheduledFuture<?> fleeting;

        @Override
        public TaskRegistry getTaskRegistry() {
            TaskRegistry registry = super.getTaskRegistry();
            ScheduledFuture<?> task = fleeting;
            if (task != null && registry.get("fleeting").state() == TaskInfo.State.PAUSED) {
                fleeting = null;
                boolean ignored = task.cancel(false);
            }
            return registry;
        }
    }

    @Test
    void taskThatSeveralSchedulersHaveNeedsTheNameOfOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> endpoint.task("clean", null))
                .withMessageContaining("[orders, reports]");
        TaskDescriptor paused = jmx.steerTask("clean", "pause", "reports", null, null, null, null, null, null);
        assertThat(paused.scheduler()).isEqualTo("reports");
        assertThat(orders.getTaskRegistry().get("clean").state()).isEqualTo(TaskInfo.State.PENDING);
    }

    @Test
    void taskIsNotFoundInASchedulerThatDoesNotHaveIt() {
        assertThatExceptionOfType(UnknownNameException.class)
                .isThrownBy(() -> endpoint.task("print", "orders"))
                .satisfies(ex -> assertThat(ex.knownTasks()).isEqualTo(2));
        assertThatExceptionOfType(UnknownNameException.class)
                .isThrownBy(() -> endpoint.task("paint", null))
                .satisfies(ex -> assertThat(ex.knownTasks()).isEqualTo(4));
    }

    @Test
    void schedulerIsPausedByItsName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> jmx.steerScheduler("pause", null, null))
                .withMessageContaining("[orders, reports]");
        assertThat(jmx.steerScheduler("pause", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.PAUSED);
        assertThat(orders.isRunning()).isFalse();
        assertThat(reports.isRunning()).isTrue();
        assertThat(jmx.steerScheduler("resume", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.RUNNING);
        assertThat(orders.isRunning()).isTrue();
    }

    @Test
    void pauseIsKnownByWhoPausedUntilItEnds() {
        assertThat(endpoint.steerScheduler(caller("anna", "deploying"), "pause", "orders", () -> {})
                        .pause())
                .extracting(Pause::by, Pause::reason)
                .containsExactly("anna", "deploying");
        SchedulerDescriptor again = endpoint.steerScheduler(caller("bob", null), "pause", "orders", () -> {});
        assertThat(again.pause()).extracting(Pause::by).isEqualTo("anna");
        orders.start();
        orders.stop();
        assertThat(endpoint.steerScheduler(caller("carl", null), "pause", "orders", () -> {})
                        .pause())
                .as("a pause by the application")
                .extracting(Pause::by)
                .isNull();
        assertThat(endpoint.steerScheduler(caller("carl", null), "resume", "orders", () -> {})
                        .pause())
                .isNull();
    }

    @Test
    void pauseOfTwoAtATimeIsThatOfTheFirst() {
        Pauses pauses = new Pauses();
        SchedulerBeans.Named named = new SchedulerBeans.Named("orders", orders);
        orders.stop();
        pauses.note(named, null, caller("anna", "deploying"));
        pauses.note(named, null, caller("bob", null));
        assertThat(pauses.of(named)).isNotNull().extracting(Pause::by).isEqualTo("anna");
    }

    @Test
    void modeOfASchedulerIsChangedAndAPauseLeavesItAlone() {
        assertThat(jmx.steerScheduler("halt", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.HALTED);
        assertThat(jmx.steerScheduler("pause", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.PAUSED);
        assertThat(jmx.steerScheduler("resume", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.HALTED);
        assertThat(jmx.steerScheduler("off", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.OFF);
        assertThat(jmx.steerScheduler("run", "orders", null).state()).isEqualTo(SchedulerDescriptor.State.RUNNING);
        assertThat(orders.getMode()).isEqualTo(SchedulerMode.RUN);
        assertThat(reports.getMode()).isEqualTo(SchedulerMode.RUN);
    }

    @Test
    void settingsOfATaskAreShown() {
        TaskSettings settings = TaskSettings.builder()
                .missedRuns(MissedRuns.SKIP)
                .gap(Gap.SHIFT)
                .enabled(false)
                .build();
        ScheduledFuture<?> unused = orders.getTaskRegistry().schedule("set", () -> {}, HOURLY, settings);
        TaskDescriptor task = endpoint.task("set", null);
        assertThat(task.settings())
                .containsExactly(
                        Map.entry("enabled", "false"), Map.entry("missed-runs", "skip"), Map.entry("gap", "shift"));
        assertThat(task.state()).isEqualTo(TaskInfo.State.DISABLED);
        assertThat(task.pausedAfterFailures()).isFalse();
        assertThat(endpoint.task("ship", null).settings()).isEmpty();
        assertThat(jmx.steerTask("set", "resume", null, null, null, null, null, null, null)
                        .state())
                .isEqualTo(TaskInfo.State.PENDING);
    }

    @Test
    void schedulerThatHasBeenShutDownIsShownAsSuch() {
        orders.shutdown();
        assertThat(endpoint.schedulers("orders", null, null).schedulers())
                .singleElement()
                .satisfies(scheduler -> {
                    assertThat(scheduler.state()).isEqualTo(SchedulerDescriptor.State.SHUT_DOWN);
                    assertThat(scheduler.tasks()).isZero();
                });
    }

    @Test
    void oneTimeTasksWithoutANameAreCounted() {
        for (int i = 0; i < 3; i++) {
            ScheduledFuture<?> unused =
                    orders.schedule(() -> {}, orders.getClock().instant().plus(Duration.ofHours(1)));
        }
        SchedulersDescriptor all = endpoint.schedulers("orders", null, null);
        assertThat(all.schedulers()).singleElement().satisfies(scheduler -> {
            assertThat(scheduler.anonymous()).isEqualTo(3);
            assertThat(scheduler.pending()).isEqualTo(5);
        });
        assertThat(all.total()).isEqualTo(2);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void steeringManyTasksLeavesOneLine(CapturedOutput output) {
        TaskRequest filter = TaskRequest.ofFilter("reports", null, "I", "pending");
        assertThat(endpoint.steerTasks(caller("eve", null), "pause", filter, "1")
                        .done())
                .isEqualTo(1);
        assertThat(output.getOut())
                .containsOnlyOnce("Steering by ")
                .contains("Steering by eve over HTTP: action pause on tasks scheduler reports, state pending, text I; "
                        + "before: 1 found; after: 1 done and 0 refused");
        assertThatIllegalStateException()
                .isThrownBy(() -> endpoint.steerTasks(caller("eve", null), "pause", filter, "1"));
        assertThat(output.getOut())
                .contains("Steering by eve over HTTP was refused: action pause on tasks scheduler reports, "
                        + "state pending, "
                        + "text I; cause: The number of matching tasks has changed: expected must be 0, was 1");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void numberOfWorkersThatIsNotLimitedIsLeftOut() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setVirtualThreads(true);
        scheduler.initialize();
        try {
            assertThat(SchedulerDescriptor.of(new SchedulerBeans.Named("virtual", scheduler), null)
                            .workers()
                            .max())
                    .isNull();
        } finally {
            scheduler.shutdown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoSchedulers {

        @Bean
        WheelTaskScheduler orders() {
            return new WheelTaskScheduler();
        }

        @Bean
        WheelTaskScheduler reports() {
            return new WheelTaskScheduler();
        }
    }
}
