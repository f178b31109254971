package io.github.wheelscheduler.sample.connections;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The results of both keepers, side by side. */
final class ConnectionsTable {

    private static final String LABEL = "  %-34s";
    private static final String CELL = "  %20s";

    private ConnectionsTable() {}

    /** One of them: what it was to close, what happened, and what it took. */
    record Column(String name, int silent, long beats, long answers, Traffic traffic, long cpuNanos, long wallNanos) {

        private String perSecond(long count) {
            return text("%,.0f", count * 1e9 / wallNanos);
        }

        private String late(double part) {
            long[] sorted = traffic.sortedLatenesses();
            return sorted.length == 0 ? "-" : text("%,.1f ms", sorted[(int) Math.ceil(part * sorted.length) - 1] / 1e6);
        }
    }

    static String of(List<Column> columns) {
        StringBuilder table = new StringBuilder();
        add(table, columns, "", Column::name);
        add(table, columns, "processor time", column -> text("%.1f s", column.cpuNanos / 1e9));
        add(table, columns, "heartbeats a second", column -> column.perSecond(column.beats));
        add(table, columns, "answers (touches) a second", column -> column.perSecond(column.answers));
        add(
                table,
                columns,
                "timers that ran, a second",
                column -> column.perSecond(column.beats + column.traffic.closed()));
        add(
                table,
                columns,
                "closed, of the silent ones",
                column -> text("%,d of %,d", column.traffic.closed(), column.silent));
        add(table, columns, "closed too early", column -> text("%,d", column.traffic.tooEarly()));
        add(table, columns, "closed late, half of them by", column -> column.late(0.5));
        add(table, columns, "99 of 100 by at most", column -> column.late(0.99));
        add(table, columns, "all by at most", column -> column.late(1));
        return table.toString();
    }

    private static void add(StringBuilder table, List<Column> columns, String label, Function<Column, String> cell) {
        table.append(text(LABEL, label));
        columns.forEach(column -> table.append(text(CELL, cell.apply(column))));
        table.append(System.lineSeparator());
    }

    @SuppressWarnings("AnnotateFormatMethod") // there is no such annotation on the class path
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
