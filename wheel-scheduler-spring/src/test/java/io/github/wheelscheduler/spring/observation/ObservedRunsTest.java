package io.github.wheelscheduler.spring.observation;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.LogCapture;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskRejectedException;

/** Each run of a task that is to be observed is one observation, without a parent, around everything of the run. */
class ObservedRunsTest {

    private static final TaskSchedule NOW = TaskSchedule.once(Instant.EPOCH);

    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<WheelRunContext> stopped = new CopyOnWriteArrayList<>();
    private final AtomicInteger started = new AtomicInteger();
    private final List<String> scopes = new CopyOnWriteArrayList<>();
    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    private final class Recorder implements ObservationHandler<WheelRunContext> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof WheelRunContext;
        }

        @Override
        public void onStart(WheelRunContext context) {
            started.incrementAndGet();
        }

        @Override
        public void onStop(WheelRunContext context) {
            stopped.add(context);
        }
    }

    @BeforeEach
    void initialize() {
        registry.observationConfig().observationHandler(new Recorder());
        scheduler.setBeanName("jobs");
        scheduler.setPoolSize(1);
    }

    @AfterEach
    void shutDown() {
        scheduler.shutdown();
    }

    private void observe(ObservedTasks which) {
        scheduler.setRunObservation(new WheelRunObservation(() -> registry, which, null));
        scheduler.initialize();
    }

    private void named(String id, Runnable task, TaskSchedule schedule) {
        ScheduledFuture<?> ignored = scheduler.getTaskRegistry().schedule(id, task, schedule);
    }

    private void timer(Runnable task) {
        ScheduledFuture<?> ignored = scheduler.schedule(task, Instant.now());
    }

    private void repeat(Runnable task) {
        ScheduledFuture<?> ignored = scheduler.scheduleWithFixedDelay(task, Duration.ofMillis(1));
    }

    private WheelRunContext onlyRun() {
        awaitThat(() -> stopped.size() == 1);
        return stopped.get(0);
    }

    private static KeyValues keysOf(WheelRunContext run) {
        return run.getAllKeyValues();
    }

    private static String valueOf(WheelRunContext run, String key) {
        return keysOf(run).stream()
                .filter(each -> each.getKey().equals(key))
                .map(KeyValue::getValue)
                .findFirst()
                .orElse("absent");
    }

    /** Waits until nothing is left to run, and says what was observed. */
    private List<WheelRunContext> observedAfter(Runnable last) {
        AtomicReference<Boolean> hasRun = new AtomicReference<>(false);
        scheduler.execute(() -> {
            last.run();
            hasRun.set(true);
        });
        awaitThat(() -> Boolean.TRUE.equals(hasRun.get()));
        return stopped;
    }

    @Test
    void namedTaskIsObserved() {
        observe(ObservedTasks.NAMED);
        named("billing", () -> {}, NOW);
        WheelRunContext run = onlyRun();
        assertThat(run.getName()).isEqualTo("wheel.scheduler.execution");
        assertThat(run.getContextualName()).isEqualTo("run billing");
        assertThat(valueOf(run, "task")).isEqualTo("billing");
        assertThat(valueOf(run, "task.id")).isEqualTo("billing");
        assertThat(valueOf(run, "scheduler")).isEqualTo("jobs");
        assertThat(valueOf(run, "trigger")).isEqualTo("SCHEDULE");
        assertThat(valueOf(run, "outcome")).isEqualTo("SUCCESS");
        assertThat(valueOf(run, "exception")).isEqualTo("none");
        assertThat(run.getParentObservation()).isNull();
    }

    @Test
    void timerWithoutANameIsObservedByAllAlone() {
        observe(ObservedTasks.NAMED);
        timer(() -> {});
        assertThat(observedAfter(() -> {})).isEmpty();
        scheduler.setRunObservation(new WheelRunObservation(() -> registry, ObservedTasks.ALL, null));
        timer(() -> {});
        assertThat(valueOf(onlyRun(), "task")).isEqualTo("none");
        assertThat(valueOf(onlyRun(), "task.id")).contains("ObservedRunsTest");
        scheduler.setRunObservation(new WheelRunObservation(() -> registry, ObservedTasks.ANNOTATED, null));
        timer(() -> {});
        assertThat(observedAfter(() -> {})).hasSize(1);
    }

    @Test
    void repeatingTaskIsObservedByAllOnceARun() {
        observe(ObservedTasks.ALL);
        AtomicInteger runs = new AtomicInteger();
        repeat(runs::incrementAndGet);
        awaitThat(() -> stopped.size() >= 3);
        scheduler.shutdown();
        // A run counts before its observation ends.
        awaitThat(scheduler.getWheelScheduledExecutor()::isTerminated);
        assertThat(stopped).hasSize(runs.get()).allSatisfy(run -> {
            assertThat(valueOf(run, "task")).isEqualTo("none");
            assertThat(run.getParentObservation()).isNull();
        });
    }

    @Test
    void runByHandSaysSo() {
        observe(ObservedTasks.NAMED);
        named("later", () -> {}, TaskSchedule.fixedRate(Duration.ofDays(1)));
        onlyRun();
        scheduler.getTaskRegistry().trigger("later");
        awaitThat(() -> stopped.size() == 2);
        assertThat(valueOf(stopped.get(1), "trigger")).isEqualTo("BY_HAND");
        assertThat(stopped.get(0).getLateness())
                .satisfies(late -> assertThat(late.isNegative()).isFalse());
        assertThat(stopped.get(1).getLateness()).isNull();
    }

    @Test
    void failureIsThatOfTheObservation() {
        observe(ObservedTasks.ALL);
        IllegalStateException failure = new IllegalStateException("on purpose");
        scheduler.setErrorHandler(thrown -> {});
        Runnable failing = () -> {
            throw failure;
        };
        named("billing", failing, NOW);
        assertThat(onlyRun().getError()).isSameAs(failure);
        assertThat(valueOf(onlyRun(), "outcome")).isEqualTo("ERROR");
        assertThat(valueOf(onlyRun(), "exception")).isEqualTo("IllegalStateException");
    }

    private @Nullable String current() {
        Observation seen = registry.getCurrentObservation();
        return seen == null || !(seen.getContextView() instanceof WheelRunContext run) ? null : run.getTaskId();
    }

    @Test
    void errorHandlerAndListenerRunInItsScope() {
        scheduler.setErrorHandler(thrown -> scopes.add("handler " + current()));
        observe(ObservedTasks.ALL);
        scheduler.getTaskRegistry().addListener(new TaskListener() {
            @Override
            public void ran(String id, RunOutcome outcome, boolean overran) {
                scopes.add("listener " + current());
            }
        });
        named(
                "billing",
                () -> {
                    scopes.add("task " + current());
                    throw new IllegalStateException("on purpose");
                },
                NOW);
        onlyRun();
        timer(() -> {
            throw new IllegalStateException("on purpose");
        });
        awaitThat(() -> stopped.size() == 2);
        observedAfter(() -> scopes.add("after " + current()));
        assertThat(scopes)
                .containsExactly(
                        "task billing",
                        "handler billing",
                        "listener billing",
                        "handler " + ObservedRunsTest.class.getName() + ".lambda",
                        "after null");
    }

    @Test
    void observationOfADecoratorStaysOutside() {
        Observation request = Observation.start("request", registry);
        scheduler.setTaskDecorator(task -> () -> request.scoped(task));
        observe(ObservedTasks.NAMED);
        named("billing", () -> scopes.add("task " + current()), NOW);
        assertThat(onlyRun().getParentObservation()).isNull();
        assertThat(scopes).containsExactly("task billing");
    }

    @Test
    void brokenHandlerHarmsNoRun() {
        AtomicInteger runs = new AtomicInteger();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStart(Observation.Context context) {
                if (context instanceof WheelRunContext) {
                    throw new IllegalStateException("broken");
                }
            }
        });
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler")) {
            observe(ObservedTasks.ALL);
            repeat(() -> {
                assertThat(current()).isNull();
                runs.incrementAndGet();
            });
            timer(runs::incrementAndGet);
            awaitThat(() -> runs.get() >= 5);
            assertThat(scheduler.getFailedRuns()).isZero();
            scheduler.shutdown();
            assertThat(started).hasPositiveValue();
            assertThat(stopped).as("handlers that have begun end").hasSize(started.get());
            assertThat(log.messages().stream().filter(line -> line.startsWith("Observing a run")))
                    .containsExactly(
                            "Observing a run of scheduler jobs failed; runs continue, and further failures are "
                                    + "not logged. Fix the ObservationHandler");
        }
    }

    @Test
    void tasksOfOneNameShareATag() {
        observe(ObservedTasks.NAMED);
        repeat(new Cleanup());
        repeat(new Cleanup());
        awaitThat(() ->
                stopped.stream().map(run -> valueOf(run, "task.id")).distinct().count() == 2);
        assertThat(stopped).allSatisfy(run -> assertThat(valueOf(run, "task")).isEqualTo("cleanup"));
    }

    private final AtomicInteger looks = new AtomicInteger();

    private void observeLinked(ObservedTasks which, RuntimeException... broken) {
        RunOrigin span = new RunOrigin("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", true, true);
        Thread caller = Thread.currentThread();
        Supplier<@Nullable RunOrigin> origins = () -> {
            // A run looks, too, for its own trace.
            if (Thread.currentThread() == caller) {
                looks.incrementAndGet();
            }
            if (broken.length > 0) {
                throw broken[0];
            }
            return span;
        };
        scheduler.setRunObservation(
                new WheelRunObservation(() -> registry, which, null, origins, Duration.ofSeconds(5)));
        if (!scheduler.isInitialized()) {
            scheduler.initialize();
        }
    }

    @Test
    void callLooksForASpanWhereARunMayNameIt() {
        observeLinked(ObservedTasks.ANNOTATED);
        timer(() -> {});
        named("annotated", () -> {}, NOW);
        repeat(() -> {});
        observeLinked(ObservedTasks.NAMED);
        timer(() -> {});
        named("rate", () -> {}, TaskSchedule.fixedRate(Duration.ofDays(1)));
        named("cron", () -> {}, TaskSchedule.cron("0 0 0 1 1 *"));
        assertThat(looks).hasValue(0);
        named("once", () -> {}, NOW);
        assertThat(looks).hasValue(1);
        scheduler.getTaskRegistry().trigger("cron");
        assertThat(looks).hasValue(2);
        observeLinked(ObservedTasks.ALL);
        timer(() -> {});
        assertThat(looks).hasValue(3);
    }

    private static boolean isParent(WheelRunContext run) {
        return Objects.requireNonNull(run.getOrigin()).isParent();
    }

    @Test
    void runSoonIsAChildAndALaterOneIsNot() {
        observeLinked(ObservedTasks.ALL);
        timer(() -> {});
        assertThat(isParent(onlyRun())).isTrue();
        named("later", () -> {}, TaskSchedule.once(Instant.now().plusSeconds(60)));
        scheduler.getTaskRegistry().trigger("later");
        awaitThat(() -> stopped.size() == 2);
        assertThat(isParent(stopped.get(1))).isFalse();
    }

    @Test
    void runByHandIsNoChild() {
        observeLinked(ObservedTasks.ALL);
        named("rate", () -> {}, TaskSchedule.fixedRate(Duration.ofDays(1)));
        assertThat(onlyRun().getOrigin()).isNull();
        scheduler.getTaskRegistry().trigger("rate");
        awaitThat(() -> stopped.size() == 2);
        assertThat(isParent(stopped.get(1))).isFalse();
    }

    @Test
    void pausedTaskNamesWhatEndsThePause() {
        observeLinked(ObservedTasks.ALL);
        named("once", () -> {}, TaskSchedule.once(Instant.now().plusSeconds(60)));
        scheduler.getTaskRegistry().pause("once");
        scheduler.getTaskRegistry().retime("once", TaskSchedule.once(Instant.now()));
        observedAfter(() -> {});
        assertThat(stopped).isEmpty();
        scheduler.getTaskRegistry().resume("once");
        assertThat(isParent(onlyRun())).isFalse();
    }

    @Test
    void brokenLookForASpanHarmsNoTask() {
        observeLinked(ObservedTasks.ALL, new IllegalStateException("broken"));
        timer(() -> {});
        assertThat(onlyRun().getOrigin()).isNull();
        named("once", () -> {}, NOW);
        awaitThat(() -> stopped.size() == 2);
        assertThat(stopped.get(1).getOrigin()).isNull();
    }

    @Test
    void linkedTimersAreWhatTheyWere() {
        observeLinked(ObservedTasks.ALL);
        Instant later = Instant.now().plusSeconds(3_600);
        ScheduledFuture<?> timer = scheduler.schedule(new Cleanup(), later);
        assertThat(timer.toString()).contains("task = cleanup");
        ScheduledFuture<?> once = scheduler.getTaskRegistry().schedule("once", () -> {}, TaskSchedule.once(later));
        assertThat(scheduler.getScheduledThreadPoolExecutor().getQueue()).contains((Runnable) timer, (Runnable) once);
        assertThat(scheduler.getTaskRegistry().get("once").id()).isEqualTo("once");
        assertThat(timer.cancel(false)).isTrue();
        assertThat(once.cancel(false)).isTrue();
        assertThat(scheduler.getScheduledThreadPoolExecutor().getQueue()).isEmpty();
    }

    @Test
    void conventionOfTheApplicationNamesIt() {
        WheelRunObservationConvention own = new DefaultWheelRunObservationConvention() {
            @Override
            public String getName() {
                return "jobs";
            }
        };
        scheduler.setRunObservation(new WheelRunObservation(() -> registry, ObservedTasks.ALL, own));
        scheduler.initialize();
        timer(() -> {});
        assertThat(onlyRun().getName()).isEqualTo("jobs");
    }

    private static final class Cleanup implements Runnable, NamedTask {

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "cleanup";
        }
    }

    @Test
    void observedTimerIsRejectedAsAnyOther() {
        observe(ObservedTasks.ALL);
        scheduler.shutdown();
        assertThatThrownBy(() -> timer(new Runnable() {

                    @Override
                    public void run() {}

                    @Override
                    public String toString() {
                        return "billing";
                    }
                }))
                .isInstanceOf(TaskRejectedException.class)
                .hasMessageEndingWith("did not accept task: billing");
        assertThatThrownBy(() -> new WheelTaskScheduler().schedule(() -> {}, Instant.now()))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void errorHandlerReceivesTheCauseThatAProxyWraps() {
        IOException cause = new IOException("disk full");
        List<Throwable> handled = new CopyOnWriteArrayList<>();
        scheduler.setErrorHandler(handled::add);
        observe(ObservedTasks.ALL);
        timer(() -> {
            throw new UndeclaredThrowableException(cause);
        });
        assertThat(onlyRun().getError()).isSameAs(cause);
        assertThat(handled).containsExactly(cause);
        assertThat(scheduler.getFailedRuns()).isOne();
    }

    @Test
    void exceptionOfAProxyWithoutACauseIsAFailure() {
        List<Throwable> handled = new CopyOnWriteArrayList<>();
        scheduler.setErrorHandler(handled::add);
        observe(ObservedTasks.ALL);
        UndeclaredThrowableException thrown = new UndeclaredThrowableException(null);
        timer(() -> {
            throw thrown;
        });
        assertThat(onlyRun().getError()).isSameAs(thrown);
        assertThat(handled).containsExactly(thrown);
    }

    @Test
    void observedTimerKeepsItsName() {
        observe(ObservedTasks.ALL);
        assertThat(scheduler
                        .schedule(new Cleanup(), Instant.now().plusSeconds(3_600))
                        .toString())
                .contains("task = cleanup");
        timer(new Cleanup());
        assertThat(valueOf(onlyRun(), "task")).isEqualTo("cleanup");
    }
}
