package io.github.wheelscheduler.spring.contract;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

/** Asks another trigger a limited number of times, then says null, and records what it was told and what it said. */
final class ObservedTrigger implements Trigger {

    private final Trigger trigger;
    private final int limit;
    private final List<Question> questions = new CopyOnWriteArrayList<>();

    ObservedTrigger(Trigger trigger, int limit) {
        this.trigger = trigger;
        this.limit = limit;
    }

    @Override
    public @Nullable Instant nextExecution(TriggerContext context) {
        Instant asked = context.getClock().instant();
        Instant answer = questions.size() < limit ? trigger.nextExecution(context) : null;
        questions.add(new Question(
                context.getClock(),
                asked,
                context.lastScheduledExecution(),
                context.lastActualExecution(),
                context.lastCompletion(),
                answer));
        return answer;
    }

    List<Question> questions() {
        return List.copyOf(questions);
    }

    /** One call of the trigger: the context as it was then, and the answer. */
    record Question(
            Clock clock,
            Instant asked,
            @Nullable Instant lastScheduled,
            @Nullable Instant lastActual,
            @Nullable Instant lastCompletion,
            @Nullable Instant answer) {}
}
