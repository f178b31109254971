package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.Trigger;

/** Promises to a caller that acts on runs that go on, looks before it re-times, and steers many tasks at once. */
interface EndpointActing extends EndpointCalls {

    /** Waits until it is interrupted. */
    private static void wait(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException ex) {
            throw new IllegalStateException("interrupted", ex);
        }
    }

    @Test
    default void runThatGoesOnShowsItsStackAndIsInterrupted() {
        CountDownLatch gate = new CountDownLatch(1);
        ScheduledFuture<?> task = server().wheel()
                .getTaskRegistry()
                .schedule("stuck", () -> wait(gate), TaskSchedule.fixedDelay(Duration.ofHours(1)));
        try {
            awaitThat(() -> assertThat(read("stuck").textAt("state")).isEqualTo("RUNNING"));
            awaitThat(() -> assertThat(steerWell("stuck", "{'action': 'stack'}").textAt("threads.0.trace"))
                    .contains("CountDownLatch.await", "EndpointActing"));
            Answer stack = steerWell("stuck", "{'action': 'stack'}");
            assertThat(stack.listAt("threads")).hasSize(1);
            assertThat(stack.textAt("threads.0.state")).isEqualTo("WAITING");
            assertThat(stack.textAt("threads.0.name")).isNotBlank();
            steerWell("stuck", "{'action': 'interrupt'}");
            awaitThat(() -> assertThat(read("stuck").textAt("last.message")).isEqualTo("interrupted"));
            assertThat(read("stuck").textAt("state")).isEqualTo("PENDING");
            assertThat(steerWell("stuck", "{'action': 'stack'}").listAt("threads"))
                    .isEmpty();
            assertThat(steer("stuck", "{'action': 'interrupt'}").status()).isEqualTo(409);
        } finally {
            gate.countDown();
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    default void previewShowsTheReTimingAndChangesNothing() {
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule("looked-at", () -> {}, tomorrow());
        try {
            Answer before = read("looked-at");
            Answer preview = steerWell(
                    "looked-at", "{'action': 'retime', 'cron': '0 0 3 1 * *', 'zone': 'Asia/Tokyo', 'preview': true}");
            assertThat(preview.textAt("words")).isEqualTo("on the first of each month at 3:00");
            assertThat(preview.listAt("upcoming")).hasSize(5);
            assertThat(Instant.parse(preview.textAt("upcoming.0")).toString()).endsWith("T18:00:00Z");
            Answer after = read("looked-at");
            for (String part : List.of("schedule", "state", "configured")) {
                assertThat(after.at(part)).as(part).isEqualTo(before.at(part));
            }
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {'action': 'pause', 'preview': true}                          | preview must only be true with the action retime
            {'action': 'retime', 'preview': true}                         | exactly one of fixedRate
            {'action': 'retime', 'preview': 'maybe', 'fixedRate': '1s'}   | preview must be true or false, was maybe
            {'action': 'stack', 'fixedRate': '1s'}                        | only be given with the action retime
            """)
    default void aBadPreviewIsRefused(String json, String reason) {
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule("unseen", () -> {}, tomorrow());
        try {
            Answer answer = steer("unseen", json);
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(reason);
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    private Answer steerAll(String json) {
        return server().post(ENDPOINT, json.replace('\'', '"'));
    }

    @Test
    default void allTasksThatTheFilterFindsAreSteered() {
        TaskRegistry registry = server().wheel().getTaskRegistry();
        CountDownLatch gate = new CountDownLatch(1);
        List<ScheduledFuture<?>> tasks = Stream.of("herd/1", "herd/2", "herd/3")
                .<ScheduledFuture<?>>map(id -> registry.schedule(
                        id,
                        () -> {
                            if (id.endsWith("3")) {
                                wait(gate);
                            }
                        },
                        TaskSchedule.cron("0 0 0 1 1 *")))
                .toList();
        try {
            Answer wrong = steerAll("{'of': 'tasks', 'action': 'pause', 'text': 'HERD/', 'expected': 2}");
            assertThat(wrong.status()).isEqualTo(409);
            assertThat(wrong.textAt("error"))
                    .isEqualTo("The number of matching tasks has changed: expected must be 3, was 2");
            assertThat(registry.get("herd/1").state()).hasToString("PENDING");

            Answer paused = steerAll("{'of': 'tasks', 'action': 'pause', 'text': 'HERD/', 'expected': 3}");
            assertThat(paused.status()).as(paused.text()).isEqualTo(200);
            assertThat(paused.numberAt("matched")).isEqualTo(3);
            assertThat(paused.numberAt("done")).isEqualTo(3);
            assertThat(paused.numberAt("refused")).isZero();
            assertThat(paused.listAt("refusals")).isEmpty();
            assertThat(registry.get("herd/3").state()).hasToString("PAUSED");

            Answer resumed = steerAll("{'of': 'tasks', 'action': 'resume', 'text': 'herd', 'state': 'paused'}");
            assertThat(resumed.numberAt("done")).isEqualTo(3);

            registry.trigger("herd/3");
            awaitThat(() -> assertThat(registry.get("herd/3").state()).hasToString("RUNNING"));
            Answer triggered = steerAll("{'of': 'tasks', 'action': 'trigger', 'text': 'herd'}");
            assertThat(triggered.numberAt("matched")).isEqualTo(3);
            assertThat(triggered.numberAt("done")).isEqualTo(2);
            assertThat(triggered.numberAt("refused")).isEqualTo(1);
            assertThat(triggered.textAt("refusals.0.id")).isEqualTo("herd/3");
            assertThat(triggered.textAt("refusals.0.scheduler")).isEqualTo("taskScheduler");
            assertThat(triggered.textAt("refusals.0.error")).contains("must not be running");

            Answer interrupted = steerAll("{'of': 'tasks', 'action': 'interrupt', 'text': 'herd', 'state': 'running'}");
            assertThat(interrupted.numberAt("done")).isEqualTo(1);
            awaitThat(() -> assertThat(registry.get("herd/3").failures()).isEqualTo(1));
        } finally {
            gate.countDown();
            tasks.forEach(task -> task.cancel(false));
        }
    }

    @Test
    default void taskWithAFailingTriggerIsRefusedAndOthersSteered() {
        TaskRegistry registry = server().wheel().getTaskRegistry();
        AtomicBoolean isBroken = new AtomicBoolean();
        Trigger trigger = context -> {
            if (isBroken.get()) {
                throw new UnsupportedOperationException("the calendar is gone");
            }
            return Instant.now().plus(Duration.ofDays(1));
        };
        List<ScheduledFuture<?>> tasks = Stream.of("flock/1", "flock/2", "flock/3")
                .<ScheduledFuture<?>>map(id -> registry.schedule(
                        id,
                        () -> {},
                        id.endsWith("2") ? TaskSchedule.trigger(trigger) : TaskSchedule.cron("0 0 0 1 1 *")))
                .toList();
        try {
            for (int i = 1; i <= 3; i++) {
                registry.retime("flock/" + i, tomorrow());
            }
            isBroken.set(true);
            Answer reset = steerAll("{'of': 'tasks', 'action': 'reset', 'text': 'flock/'}");
            assertThat(reset.status()).as(reset.text()).isEqualTo(200);
            assertThat(reset.numberAt("matched")).isEqualTo(3);
            assertThat(reset.numberAt("done")).isEqualTo(2);
            assertThat(reset.textAt("refusals.0.id")).isEqualTo("flock/2");
            assertThat(reset.textAt("refusals.0.error")).isEqualTo("the calendar is gone");
            assertThat(registry.get("flock/3").schedule().text()).isEqualTo("0 0 0 1 1 *");
        } finally {
            tasks.forEach(task -> task.cancel(false));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {'of': 'tasks'}                                                 | 400 | action must be trigger, pause, resume
            {'of': 'tasks', 'action': 'retime', 'fixedRate': '1s'}          | 400 | action must be trigger, pause, resume
            {'of': 'tasks', 'action': 'pause', 'state': 'lost'}             | 400 | state must be one of
            {'of': 'tasks', 'action': 'pause', 'expected': 'many'}          | 400 | expected must be a number
            {'of': 'tasks', 'action': 'pause'}                              | 400 | expected, the number of tasks, must
            {'of': 'tasks', 'action': 'pause', 'text': ''}                  | 400 | expected, the number of tasks, must
            {'of': 'tasks', 'action': 'pause', 'txt': 'herd'}               | 400 | expected, the number of tasks, must
            {'of': 'tasks', 'action': 'pause', 'scheduler': 'none'}         | 404 | No scheduler named none
            {'of': 'tasks', 'action': 'pause', 'group': 'none'}             | 404 | No group named none
            {'of': 'all', 'action': 'pause'}                                | 400 | of must be tasks or scheduler, was all
            {'action': 'pause', 'text': 'a'}                                | 400 | must only be given if of is tasks
            {'action': 'pause', 'expected': 3}                              | 400 | must only be given if of is tasks
            """)
    default void aBadRequestForManyTasksIsRefusedWithTheReason(String json, int status, String reason) {
        Answer answer = steerAll(json);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.textAt("error")).contains(reason);
        assertThat(server().get(ENDPOINT).textAt("schedulers.0.state")).isEqualTo("RUNNING");
    }
}
