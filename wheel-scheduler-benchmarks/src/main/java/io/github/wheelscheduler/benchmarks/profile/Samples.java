package io.github.wheelscheduler.benchmarks.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** The counts of a recording. */
final class Samples {

    /** Frames of these packages are skipped: their callers are the reason. */
    private static final List<String> TRANSPARENT =
            List.of("java.lang.invoke.", "java.lang.VarHandle", "jdk.internal.misc.", "java.util.Objects");

    private static final String LAMBDA = "$$Lambda";

    private final Frames executions = new Frames();
    private final Frames cpuTimes = new Frames();
    private final Map<String, Long> allocatedBytes = new HashMap<>();
    private long gcCpuNanos;

    private Samples() {}

    static Samples read(Path recording) throws IOException {
        Samples samples = new Samples();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                samples.add(file.readEvent());
            }
        }
        return samples;
    }

    private void add(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case "jdk.ExecutionSample" ->
                executions.add(event.getThread("sampledThread"), place(event.getStackTrace()));
            case "jdk.CPUTimeSample" -> cpuTimes.add(event.getThread("eventThread"), place(event.getStackTrace()));
            case "jdk.ObjectAllocationSample" -> addAllocation(event);
            case "jdk.GCCPUTime" ->
                gcCpuNanos += event.getDuration("userTime").toNanos()
                        + event.getDuration("systemTime").toNanos();
            default -> {
                // not asked for
            }
        }
    }

    private void addAllocation(RecordedEvent event) {
        String site = withoutAddress(event.getClass("objectClass").getName()) + " in " + place(event.getStackTrace());
        allocatedBytes.merge(site, event.getLong("weight"), Long::sum);
    }

    private static String place(RecordedStackTrace trace) {
        if (trace == null || trace.getFrames().isEmpty()) {
            return "(no Java frame)";
        }
        for (RecordedFrame frame : trace.getFrames()) {
            String type = frame.getMethod().getType().getName();
            if (frame.isJavaFrame() && TRANSPARENT.stream().noneMatch(type::startsWith) && !type.contains(LAMBDA)) {
                return nameOf(frame.getMethod());
            }
        }
        return nameOf(trace.getFrames().get(0).getMethod());
    }

    private static String nameOf(RecordedMethod method) {
        String type = withoutAddress(method.getType().getName());
        return type.substring(type.lastIndexOf('.') + 1) + "." + method.getName();
    }

    /**
     * Returns where threads were seen: by processor time if this JDK samples by that, else by time while running Java.
     */
    Frames frames() {
        return cpuTimes.all() > 0 ? cpuTimes : executions;
    }

    /** Returns where most was allocated, with an estimate of the bytes. */
    List<Map.Entry<String, Long>> topAllocations(int limit) {
        return top(allocatedBytes, limit);
    }

    long gcCpuNanos() {
        return gcCpuNanos;
    }

    /** The address of a hidden class differs from run to run. */
    private static String withoutAddress(String type) {
        int lambda = type.indexOf(LAMBDA);
        return lambda < 0 ? type : type.substring(0, lambda + LAMBDA.length());
    }

    static List<Map.Entry<String, Long>> top(Map<String, Long> counts, int limit) {
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(limit)
                .toList();
    }
}
