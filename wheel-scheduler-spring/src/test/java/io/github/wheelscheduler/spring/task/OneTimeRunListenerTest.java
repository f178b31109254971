package io.github.wheelscheduler.spring.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.TaskRejectedException;

/** Runs that no registry lists are told, and so are tasks that never run. */
class OneTimeRunListenerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() {
        scheduler.setErrorHandler(failures::add);
        scheduler.initialize();
    }

    @AfterEach
    void close() {
        scheduler.shutdown();
    }

    private void listen() {
        scheduler
                .getTaskRegistry()
                .addOneTimeRunListener((name, isNamed, outcome, thrown) -> told.add(name.replaceAll(".*[.$]", "")
                        + (isNamed ? " by name" : "")
                        + (outcome.isSuccess() ? "" : " failed with " + textOf(outcome, thrown))));
    }

    private static String textOf(RunOutcome outcome, Throwable thrown) {
        assertThat(outcome.failure().type()).isEqualTo(thrown.getClass().getName());
        return thrown.getMessage();
    }

    private static final class Mail implements Runnable, Callable<String> {

        @Override
        public void run() {}

        @Override
        public String call() {
            return "sent";
        }
    }

    private static final class Fax implements Runnable {

        @Override
        public void run() {
            throw new IllegalStateException("no paper");
        }
    }

    private record Named(String taskName) implements Runnable, NamedTask {

        @Override
        public void run() {}
    }

    private void awaitTold(String... expected) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(told).containsExactlyInAnyOrder(expected));
    }

    @Test
    void runsAreToldByNameOrClass() {
        listen();
        scheduler.execute(new Mail());
        Object ignored = scheduler.submit((Runnable) new Mail());
        ignored = scheduler.submit((Callable<String>) new Mail());
        ignored = scheduler.submitCompletable((Runnable) new Mail());
        ignored = scheduler.schedule(new Mail(), Instant.now());
        ignored = scheduler.schedule(new Named("report"), Instant.now());
        awaitTold("Mail", "Mail", "Mail", "Mail", "Mail", "report by name");
    }

    @Test
    void failureIsToldAndReachesTheErrorHandler() {
        listen();
        scheduler.execute(new Fax());
        Object ignored = scheduler.schedule(new Fax(), Instant.now());
        awaitTold("Fax failed with no paper", "Fax failed with no paper");
        await().atMost(PATIENCE).until(() -> failures.size() == 2);
        assertThat(scheduler.getFailedRuns()).isEqualTo(2);
    }

    @Test
    void listenerThatThrowsHarmsNoTask() {
        scheduler.getTaskRegistry().addOneTimeRunListener((name, isNamed, outcome, thrown) -> {
            throw new IllegalStateException("on purpose");
        });
        listen();
        scheduler.execute(() -> {});
        scheduler.execute(new Fax());
        await().atMost(PATIENCE).until(() -> failures.size() == 1);
        assertThat(failures.element()).hasMessage("no paper");
    }

    @Test
    void removedListenerIsToldNothingMore() {
        Queue<String> removed = new ConcurrentLinkedQueue<>();
        OneTimeRunListener listener = (name, isNamed, outcome, thrown) -> removed.add(name);
        scheduler.getTaskRegistry().addOneTimeRunListener(listener);
        listen();
        scheduler.execute(new Named("first"));
        awaitTold("first by name");
        scheduler.getTaskRegistry().removeOneTimeRunListener(listener);
        scheduler.execute(new Named("second"));
        awaitTold("first by name", "second by name");
        assertThat(removed).containsExactly("first");
    }

    @Test
    void tasksOfTheRegistryAreNotToldTwice() {
        listen();
        Object ignored = scheduler.getTaskRegistry().schedule("named", new Mail(), TaskSchedule.once(Instant.now()));
        ignored = scheduler.scheduleAtFixedRate(new Mail(), PATIENCE);
        scheduler.execute(new Named("last"));
        awaitTold("last by name");
    }

    /** Hears of tasks that never run. */
    private final class Unrun implements TaskListener {

        @Override
        public void rejected(String id) {
            told.add("rejected " + id);
        }

        @Override
        public void cancelled(String id) {
            told.add("cancelled " + id);
        }
    }

    @Test
    void taskThatIsCancelledBeforeItsRunIsTold() {
        TaskRegistry tasks = scheduler.getTaskRegistry();
        tasks.addListener(new Unrun());
        ScheduledFuture<?> later = tasks.schedule(
                "later", () -> {}, TaskSchedule.once(Instant.now().plus(PATIENCE)));
        ScheduledFuture<?> ran = tasks.schedule("ran", () -> {}, TaskSchedule.once(Instant.now()));
        await().atMost(PATIENCE).until(ran::isDone);
        assertThat(ran.cancel(false)).isFalse();
        ScheduledFuture<?> often = tasks.schedule("often", () -> {}, TaskSchedule.fixedRate(PATIENCE));
        assertThat(often.cancel(false)).isTrue();
        assertThat(later.cancel(false)).isTrue();
        assertThat(told).containsExactly("cancelled later");
    }

    @Test
    void taskThatIsRefusedIsTold() {
        TaskRegistry tasks = scheduler.getTaskRegistry();
        tasks.addListener(new Unrun());
        scheduler.shutdown();
        for (TaskSchedule schedule : List.of(TaskSchedule.fixedRate(PATIENCE), TaskSchedule.once(Instant.now()))) {
            told.clear();
            assertThatExceptionOfType(TaskRejectedException.class)
                    .isThrownBy(() -> tasks.schedule("late", () -> {}, schedule));
            assertThat(told).containsExactly("rejected late");
        }
    }
}
