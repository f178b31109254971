package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** A subclass that overrides the before- and after-execute callbacks sees every run. */
abstract class HookContract extends SchedulerFixture {

    private final List<Event> events = new CopyOnWriteArrayList<>();

    HookContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource
    void callbacksAreAroundTheRunOnItsThread(TaskKind kind) {
        var scheduler = observed();

        kind.start(scheduler, () -> record(Stage.RUN, null));

        await().until(() -> count(Stage.AFTER) >= 1);
        assertThat(eventsOfEachThread()).allSatisfy(HookContract::assertInTurn);
        assertThat(events).extracting(Event::thread).doesNotContain(Thread.currentThread());
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_RATE_FROM_START", "FIXED_DELAY", "FIXED_DELAY_FROM_START", "TRIGGER"})
    void theCallbacksAreAroundEveryRunOfASeries(TaskKind kind) {
        var scheduler = observed();

        kind.start(scheduler, () -> record(Stage.RUN, null));

        await().until(() -> count(Stage.AFTER) >= 3);
        assertThat(eventsOfEachThread()).allSatisfy(HookContract::assertInTurn);
    }

    @ParameterizedTest
    @EnumSource
    void bothCallbacksAreGivenTheSameTask(TaskKind kind) {
        var scheduler = observed();

        kind.start(scheduler, () -> {});

        await().until(() -> count(Stage.AFTER) >= 1);
        // A thread may just have begun the next run.
        assertThat(eventsOfEachThread()).filteredOn(inTurn -> inTurn.size() > 1).anySatisfy(inTurn -> {
            assertThat(inTurn.get(0).callback()).isNotNull();
            assertThat(inTurn.get(1).callback()).isSameAs(inTurn.get(0).callback());
        });
    }

    @ParameterizedTest
    @EnumSource
    void failedRunIsFollowedByTheCallbackToo(TaskKind kind) {
        var scheduler = observed();
        scheduler.setErrorHandler(failure -> {});

        kind.start(scheduler, () -> {
            record(Stage.RUN, null);
            throw new IllegalStateException("fails between the callbacks");
        });

        await().until(() -> count(Stage.AFTER) >= 1);
        assertThat(eventsOfEachThread()).allSatisfy(HookContract::assertInTurn);
    }

    @Test
    void callbackBeforeARunIsGivenTheThreadOfTheRun() {
        List<Thread> given = new CopyOnWriteArrayList<>();
        var scheduler = startedWithHooks((thread, callback) -> given.add(thread), (callback, failure) -> {});

        assertThat(scheduler.submit(Thread::currentThread))
                .succeedsWithin(PATIENCE)
                .satisfies(thread -> assertThat(given).containsExactly(thread));
    }

    @Test
    void callbackIsNotCalledWhileNothingRuns() {
        var scheduler = observed();

        var unused = scheduler.schedule(() -> {}, scheduler.getClock().instant().plus(AN_HOUR));

        staysTrue(events::isEmpty);
    }

    private ThreadPoolTaskScheduler observed() {
        return startedWithHooks(
                (thread, callback) -> record(Stage.BEFORE, callback),
                (callback, failure) -> record(Stage.AFTER, callback));
    }

    private void record(Stage stage, @Nullable Runnable callback) {
        events.add(new Event(stage, Thread.currentThread(), callback));
    }

    private long count(Stage stage) {
        return events.stream().filter(event -> event.stage() == stage).count();
    }

    /** Groups by thread, since the next run of a series may begin elsewhere before the callback after the last. */
    private Collection<List<Event>> eventsOfEachThread() {
        return events.stream().collect(Collectors.groupingBy(Event::thread)).values();
    }

    private static void assertInTurn(List<Event> eventsOfOneThread) {
        for (int i = 0; i < eventsOfOneThread.size(); i++) {
            assertThat(eventsOfOneThread.get(i).stage()).isEqualTo(Stage.values()[i % Stage.values().length]);
        }
    }

    private enum Stage {
        BEFORE,
        RUN,
        AFTER
    }

    private record Event(
            Stage stage, Thread thread, @Nullable Runnable callback) {}
}
