package io.github.wheelscheduler.benchmarks.scale;

import java.util.Locale;

/** The page with the figures about more processors. */
public final class ScalePage {

    private static final int[] CALLERS = {1, 2, 4, 8, 16, 32, 64};
    private static final int[] WHEELS = {1, 2, 4, 8};
    private static final double[] MILLIONS = {0.1, 0.5, 1, 2, 4, 8, 16, 32};

    /** Between sockets, a cache line travels about so many times as long as between two cores that share a cache. */
    private static final double FAR = 3;

    private final StringBuilder text = new StringBuilder();

    private ScalePage() {}

    /** Measures, simulates, and returns the page. */
    public static String write() {
        return of(PartsMeasurement.measure());
    }

    static String of(Parts parts) {
        ScalePage page = new ScalePage();
        page.addParts(parts);
        page.addCallers(parts, "Callers whose cores share a cache");
        page.addCallers(parts.withSlowerSharing(FAR), "Callers on several sockets, sharing three times as slow");
        page.addRouting(parts);
        return page.text.toString();
    }

    private void addParts(Parts parts) {
        line("# Figures on scaling");
        line("");
        line("Written by the `scale` command of `wheel-scheduler-benchmarks`; do not edit it. For conclusions, see "
                + "the");
        line("page about [scaling](../docs/scaling.md).");
        line("");
        line("| part, measured here with two threads at most | ns |");
        line("|---|---:|");
        line(String.format(
                Locale.ROOT, "| schedule and cancel, what callers do side by side | %.0f |", parts.localNanos()));
        line(String.format(
                Locale.ROOT,
                "| schedule and cancel, what those with one stripe do one after the other | %.0f |",
                parts.sharedNanos()));
        line(String.format(Locale.ROOT, "| tick thread, per timer that is cancelled | %.1f |", parts.dropNanos()));
        line(String.format(
                Locale.ROOT,
                "| tick thread, per timer that is due: take in, cascade, expire, hand over | %.0f |",
                parts.routeNanos()));
        line(String.format(
                Locale.ROOT, "| workers, per timer: take, start, run nothing, end | %.0f |", parts.runNanos()));
    }

    private void addCallers(Parts parts, String title) {
        ScaleModel model = new ScaleModel(parts);
        line("");
        line("## " + title);
        line("");
        line("Simulated: million pairs of schedule and cancel a second, all callers together, each on a core of its "
                + "own, and as");
        line("many on each stripe of the inboxes.");
        line("");
        header("callers");
        for (int callers : CALLERS) {
            StringBuilder row = new StringBuilder("| " + callers + " |");
            for (int wheels : WHEELS) {
                row.append(String.format(Locale.ROOT, " %.1f |", model.pairsPerSecond(callers, wheels) / 1e6));
            }
            line(row.toString());
        }
    }

    private void addRouting(Parts parts) {
        ScaleModel model = new ScaleModel(parts);
        line("");
        line("## Timers that are due");
        line("");
        line("Simulated: 99th percentile of the time from deadline to hand-over, in milliseconds, with exact "
                + "wake-ups and");
        line("enough workers.");
        line("");
        header("million timers a second");
        for (double millions : MILLIONS) {
            StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "| %.1f |", millions));
            for (int wheels : WHEELS) {
                boolean keepsUp = model.keepsUp(millions * 1e6, wheels);
                double lateness = keepsUp ? model.p99LatenessNanos(millions * 1e6, wheels) : 0;
                row.append(keepsUp ? String.format(Locale.ROOT, " %.2f |", lateness / 1e6) : " falls behind |");
            }
            line(row.toString());
        }
    }

    private void header(String first) {
        StringBuilder titles = new StringBuilder("| " + first + " |");
        StringBuilder rule = new StringBuilder("|---:|");
        for (int wheels : WHEELS) {
            titles.append(wheels == 1 ? " 1 wheel |" : " " + wheels + " wheels |");
            rule.append("---:|");
        }
        line(titles.toString());
        line(rule.toString());
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
