package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.internal.spring.observation.ObservedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRuns;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Observes the calls that timers of one bean make, each as a run. Any thread. */
final class ObservedCalls implements CallObserver {

    /** The default limit for a span; a batch may have more. */
    private static final int MOST_LINKS = 128;

    private final ObservedRuns runs;
    private final String name;

    ObservedCalls(WheelRunObservation how, String kind, String name) {
        this.runs = new ObservedRuns(how, () -> kind);
        this.name = name;
    }

    @Override
    public @Nullable Object setting(long delayNanos) {
        return runs.origin(delayNanos);
    }

    @Override
    public Object moved(Object kept) {
        return kept instanceof RunOrigin origin ? origin.asLink() : kept;
    }

    @Override
    public @Nullable Call begin(List<?> kept) {
        ObservedRun run = runs.begin(name, spans(kept));
        return run == null ? null : run::end;
    }

    private static List<RunOrigin> spans(List<?> kept) {
        List<RunOrigin> spans = new ArrayList<>();
        for (Object each : kept) {
            if (each instanceof RunOrigin origin && spans.size() < MOST_LINKS) {
                boolean ignored = spans.add(origin);
            }
        }
        return spans;
    }
}
