package io.github.wheelscheduler.sample.cluster;

import io.github.wheelscheduler.sample.Texts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Formatter;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/** Tells as text which node ran which task, and when. */
final class ClusterReport {

    private static final double HALF = 0.5;
    private static final double NINETY_NINE = 0.99;

    private final Kill kill;
    private final List<Ledger.Run> runs;
    private final List<Ledger.Tick> ticks;
    private final List<Column> columns = new ArrayList<>();
    private final Formatter text = new Formatter(Locale.ROOT);

    /**
     * Makes one.
     *
     * @param nodes in the order of their start, the last after the kill
     * @param runs in the order of time
     * @param ticks in the order of time
     */
    ClusterReport(List<String> nodes, Kill kill, List<Ledger.Run> runs, List<Ledger.Tick> ticks) {
        this.kill = kill;
        this.runs = runs;
        this.ticks = ticks;
        String successor = nodes.get(nodes.size() - 1);
        for (String node : nodes) {
            String remark = node.equals(kill.node) ? ", killed" : node.equals(successor) ? ", new" : "";
            columns.add(new Column(node + remark, Set.of(node)));
        }
        columns.add(new Column("all", Set.copyOf(nodes)));
    }

    /**
     * The end of a node.
     *
     * @param node which
     * @param firstDueAt when the first task was due
     * @param at when it was killed
     * @param orphans the tasks that it had claimed then
     */
    record Kill(String node, Instant firstDueAt, Instant at, Set<String> orphans) {}

    private record Column(String title, Set<String> nodes) {}

    /** Returns it, where so many tasks were to run. */
    String of(int scheduled) {
        addRow("", Column::title);
        addRow("runs", column -> count(runsOf(column).count()));
        addRow("half of them late by at most", column -> late(column, HALF));
        addRow("99 of 100 by at most", column -> late(column, NINETY_NINE));
        addRow(
                "of the runs, taken over from " + kill.node,
                column -> count(runsOf(column).filter(this::isTakenOver).count()));
        addRow("runs of the one every second", column -> count(ticksOf(column)));
        addTakeOver();
        addSums(scheduled);
        return text.toString();
    }

    private void addRow(String label, Function<Column, String> cell) {
        text.format("  %-32s", label);
        columns.forEach(column -> text.format("  %10s", cell.apply(column)));
        text.format("%n");
    }

    private Stream<Ledger.Run> runsOf(Column column) {
        return runs.stream().filter(run -> column.nodes.contains(run.node()));
    }

    private long ticksOf(Column column) {
        return ticks.stream().filter(tick -> column.nodes.contains(tick.node())).count();
    }

    /** Of what the kill has not delayed. */
    private String late(Column column, double part) {
        return part(
                runsOf(column)
                        .filter(run -> !kill.orphans.contains(run.task()))
                        .map(run -> Duration.between(run.dueAt(), run.startedAt())),
                part);
    }

    private boolean isTakenOver(Ledger.Run run) {
        return kill.orphans.contains(run.task()) && !run.node().equals(kill.node);
    }

    private void addTakeOver() {
        long begun = runs.stream()
                .filter(run -> kill.orphans.contains(run.task()) && run.node().equals(kill.node))
                .count();
        text.format(
                "%n%s was killed %s after the first task was due. It had claimed %,d tasks, and begun to run %,d of "
                        + "them.%n",
                kill.node, Texts.of(Duration.between(kill.firstDueAt, kill.at)), kill.orphans.size(), begun);
        if (runs.stream().anyMatch(this::isTakenOver)) {
            text.format(
                    "The others ran these %s to %s after the kill, half of them by %s.%n",
                    afterKill(0), afterKill(1), afterKill(HALF));
        }
        text.format(
                "The longest time from one run of the task that is due every second to the next was %s.%n",
                longestGap());
    }

    private String afterKill(double part) {
        return part(
                runs.stream().filter(this::isTakenOver).map(run -> Duration.between(kill.at, run.startedAt())), part);
    }

    private String longestGap() {
        Duration longest = Duration.ZERO;
        for (int i = 1; i < ticks.size(); i++) {
            Duration gap = Duration.between(ticks.get(i - 1).at(), ticks.get(i).at());
            longest = gap.compareTo(longest) > 0 ? gap : longest;
        }
        return Texts.of(longest);
    }

    private void addSums(int scheduled) {
        Set<String> once = new HashSet<>();
        Set<String> again = new HashSet<>();
        for (Ledger.Run run : runs) {
            if (!once.add(run.task())) {
                again.add(run.task());
            }
        }
        text.format(
                "%nscheduled %,d, ran %,d, missing %,d, ran twice %,d",
                scheduled, once.size(), scheduled - once.size(), again.size());
        if (!again.isEmpty()) {
            text.format(
                    ", of which %,d because of the kill",
                    again.stream().filter(kill.orphans::contains).count());
        }
        text.format("%n");
    }

    /** Returns below which value that part of the times is, at most. */
    private static String part(Stream<Duration> times, double part) {
        List<Duration> sorted = times.sorted().toList();
        if (sorted.isEmpty()) {
            return "-";
        }
        Duration time = sorted.get(Math.max(0, (int) Math.ceil(part * sorted.size()) - 1));
        return time.toMillis() >= 1_000 ? Texts.of(time) : String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
    }

    private static String count(long count) {
        return count == 0 ? "-" : String.format(Locale.ROOT, "%,d", count);
    }
}
