package io.github.wheelscheduler.sample;

import java.time.Duration;
import java.time.Instant;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.stereotype.Component;

/** Tasks that the application hands to the {@link TaskScheduler} itself. */
@Component
class ProgrammaticTasks {

    private static final Duration POLL_PERIOD = Duration.ofSeconds(1);
    private static final Duration REMINDER_DELAY = Duration.ofSeconds(2);

    private final TaskScheduler scheduler;
    private final TaskLog poll;
    private final TaskLog reminder;

    ProgrammaticTasks(TaskScheduler scheduler, TaskBoard board) {
        this.scheduler = scheduler;
        poll = board.add("poll", new Timetable.Every(POLL_PERIOD), Duration.ofMillis(800));
        reminder = board.add("reminder", new Timetable.Once(REMINDER_DELAY), Duration.ZERO);
    }

    @EventListener(ContextRefreshedEvent.class)
    @SuppressWarnings("FutureReturnValueIgnored") // both go on until the application ends
    void schedule() {
        poll.scheduled();
        scheduler.scheduleAtFixedRate(poll::run, POLL_PERIOD);
        reminder.scheduled();
        scheduler.schedule(reminder::run, Instant.now().plus(REMINDER_DELAY));
    }
}
