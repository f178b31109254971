package io.github.wheelscheduler.sample;

import java.time.Duration;
import java.util.List;

/** The table that tells the story, as text. */
final class Report {

    static final String HEARTBEAT = "heartbeat";

    /** Five beats; a busy machine may start a single one late. */
    private static final Duration RHYTHM_LOST = Duration.ofMillis(500);

    private static final String FORMAT = "  %-10s  %-22s  %-7s  %10s  %6s  %11s%n";

    private Report() {}

    static String of(String scheduler, List<TaskLog.Line> lines) {
        Duration time =
                lines.stream().map(TaskLog.Line::age).max(Duration::compareTo).orElse(Duration.ZERO);
        StringBuilder text = new StringBuilder();
        text.append("%nThe first %s on %s:%n%n".formatted(Texts.of(time), scheduler));
        text.append(FORMAT.formatted("task", "when", "takes", "should run", "ran", "worst delay"));
        for (TaskLog.Line line : lines) {
            text.append(FORMAT.formatted(
                    line.name(),
                    line.timetable(),
                    line.takes().isZero() ? "-" : Texts.of(line.takes()),
                    line.runsDue(),
                    line.runs(),
                    Texts.of(line.worstDelay())));
        }
        lines.stream()
                .filter(line -> line.name().equals(HEARTBEAT))
                .forEach(heartbeat -> text.append(verdict(heartbeat, lines)));
        return text.toString();
    }

    private static String verdict(TaskLog.Line heartbeat, List<TaskLog.Line> lines) {
        if (heartbeat.runs() == 0) {
            return "%nThe heartbeat has not run.%n".formatted();
        }
        String delay = Texts.of(heartbeat.worstDelay());
        if (heartbeat.worstDelay().compareTo(RHYTHM_LOST) < 0) {
            return "%nThe heartbeat kept its rhythm beside slow tasks: no beat was more than %s late.%n"
                    .formatted(delay);
        }
        return isHeldUpBySlowTasks(heartbeat, lines)
                ? "%nThe heartbeat lost its rhythm: slow tasks held it up, at worst for %s.%n".formatted(delay)
                : "%nThe heartbeat lost its rhythm, at worst for %s.%n".formatted(delay);
    }

    /** Whether all tasks shared one thread, on which the slow ones took as long as the heartbeat was late. */
    private static boolean isHeldUpBySlowTasks(TaskLog.Line heartbeat, List<TaskLog.Line> lines) {
        long threads = lines.stream()
                .flatMap(line -> line.threads().stream())
                .distinct()
                .count();
        Duration slow = lines.stream()
                .map(line -> line.takes().multipliedBy(line.runs()))
                .reduce(Duration.ZERO, Duration::plus);
        return threads == 1 && slow.compareTo(heartbeat.worstDelay().minus(RHYTHM_LOST)) >= 0;
    }
}
