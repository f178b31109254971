package io.github.wheelscheduler.benchmarks.profile;

import java.util.Locale;
import java.util.Map;

/** The page about where time and memory go. */
public final class ProfilePage {

    private static final int FRAMES = 12;
    private static final int SITES = 8;

    private final StringBuilder text = new StringBuilder();

    /** Starts the page. */
    public ProfilePage() {
        line("# Profiles of the wheel");
        line("");
        line("Samples of the JDK's flight recorder while ours runs some of the [figures](benchmarks.md). This page");
        line("is written by the `profile` command of `wheel-scheduler-benchmarks`; do not edit it. Where the JDK "
                + "can, it");
        line("samples by processor time, the kernel's included; else, where running Java threads are.");
    }

    void add(String title, Samples samples, long operations) {
        line("");
        line("## " + title);
        line("");
        line(String.format(
                Locale.ROOT,
                "%,d operations; %,d samples; garbage collection took %.0f ms of CPU.",
                operations,
                samples.frames().all(),
                samples.gcCpuNanos() / 1e6));
        for (Role role : Role.values()) {
            if (samples.frames().of(role) > 0) {
                addRole(role, samples);
            }
        }
        line("");
        line("| allocated | bytes per operation |");
        line("|---|---:|");
        for (Map.Entry<String, Long> site : samples.topAllocations(SITES)) {
            line(String.format(
                    Locale.ROOT, "| `%s` | %.1f |", site.getKey(), (double) site.getValue() / Math.max(1, operations)));
        }
    }

    private void addRole(Role role, Samples samples) {
        Frames frames = samples.frames();
        long ofRole = frames.of(role);
        line("");
        line(String.format(
                Locale.ROOT,
                "| %s, %.0f %% of the samples | share of it |",
                role.title(),
                100.0 * ofRole / frames.all()));
        line("|---|---:|");
        for (Map.Entry<String, Long> frame : frames.top(role, FRAMES)) {
            line(String.format(Locale.ROOT, "| `%s` | %.1f %% |", frame.getKey(), 100.0 * frame.getValue() / ofRole));
        }
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
