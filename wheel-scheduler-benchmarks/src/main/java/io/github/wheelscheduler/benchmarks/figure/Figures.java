package io.github.wheelscheduler.benchmarks.figure;

import java.util.List;

/** All figures, in the order of a report. */
public final class Figures {

    public static final List<Figure> ALL = List.of(
            new ScheduleAndCancel(),
            new ArmMany(),
            new Burst(),
            new LightLoad(),
            new FixedRate(),
            new Heartbeat(),
            new Memory(),
            new Waiting(),
            new PushOut(),
            new Churn(),
            new Masses(),
            new MeterCost(),
            new DueNow(),
            new Flooded(),
            new RepeatingChurn(),
            new KeyedMoves(),
            new ContextStart(),
            new Cold());

    private Figures() {}

    /**
     * Returns the figure of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Figure named(String name) {
        return ALL.stream()
                .filter(figure -> figure.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("figure must be one of "
                        + ALL.stream().map(Figure::name).toList() + ", was " + name));
    }
}
