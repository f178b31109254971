package io.github.wheelscheduler.sample;

import io.github.wheelscheduler.NamedTask;
import java.time.Duration;
import java.time.Instant;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.stereotype.Component;

/** Tasks that the application hands to the {@link TaskScheduler} itself. */
@Component
class ProgrammaticTasks {

    private static final Duration POLL_PERIOD = Duration.ofSeconds(1);
    private static final Duration REMINDER_DELAY = Duration.ofSeconds(2);
    private static final Duration SYNC_DELAY = Duration.ofSeconds(1);

    private final TaskScheduler scheduler;
    private final TaskScheduler partners;
    private final TaskLog poll;
    private final TaskLog reminder;
    private final TaskLog sync;

    /** The scheduler of Spring Boot has no groups. */
    ProgrammaticTasks(
            TaskScheduler scheduler, @Qualifier("partners") ObjectProvider<TaskScheduler> partners, TaskBoard board) {
        this.scheduler = scheduler;
        this.partners = partners.getIfAvailable(() -> scheduler);
        poll = board.add("poll", new Timetable.Every(POLL_PERIOD), Duration.ofMillis(800));
        reminder = board.add("reminder", new Timetable.Once(REMINDER_DELAY), Duration.ZERO);
        sync = board.add("sync", new Timetable.AfterEachRun(SYNC_DELAY), Duration.ZERO);
    }

    @EventListener(ContextRefreshedEvent.class)
    @SuppressWarnings("FutureReturnValueIgnored") // they go on until the application ends
    void schedule() {
        poll.scheduled();
        partners.scheduleAtFixedRate(new Named("poll", poll::run), POLL_PERIOD);
        reminder.scheduled();
        scheduler.schedule(reminder::run, Instant.now().plus(REMINDER_DELAY));
        sync.scheduled();
        scheduler.scheduleWithFixedDelay(new Named("sync", this::failToSync), SYNC_DELAY);
    }

    /** Always fails, so that there is something to see. */
    private void failToSync() {
        sync.run();
        throw new IllegalStateException("The warehouse does not answer");
    }

    /** A task that has a name, which the wheel shows it under; without one, it goes by its class. */
    private record Named(String taskName, Runnable task) implements Runnable, NamedTask {

        @Override
        public void run() {
            task.run();
        }
    }
}
