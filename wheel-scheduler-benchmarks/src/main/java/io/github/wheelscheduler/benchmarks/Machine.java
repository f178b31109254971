package io.github.wheelscheduler.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.github.wheelscheduler.benchmarks.report.Result;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The description of the machine that measured. */
final class Machine {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final double GIBIBYTE = 1 << 30;
    private static final String JAR = "wheel-scheduler-benchmarks/target/wheel-scheduler-benchmarks.jar";

    private Machine() {}

    /** Returns a line for the file of results. It names no path of this machine. */
    static Result describe(Jdk jdk, List<String> args) {
        OperatingSystemMXBean system = system();
        Result result = Result.empty();
        result.texts().put("machine", cpuModel());
        result.texts().put("cores", String.valueOf(system.getAvailableProcessors()));
        result.texts().put("memory", Math.round(system.getTotalMemorySize() / GIBIBYTE) + " GiB");
        result.texts().put("os", system.getName());
        result.texts().put("jdk", String.valueOf(jdk.version()));
        result.texts().put("date", LocalDate.now(ZoneOffset.UTC).toString());
        result.texts().put("command", "java -jar " + JAR + " " + withoutPaths(args, jdk));
        return result;
    }

    static long memoryBytes() {
        return system().getTotalMemorySize();
    }

    private static OperatingSystemMXBean system() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    }

    private static String withoutPaths(List<String> args, Jdk jdk) {
        List<String> shown = new ArrayList<>(args);
        for (int i = 1; i < shown.size(); i++) {
            if (shown.get(i - 1).equals("--java")) {
                shown.set(i, "<home of JDK " + jdk.feature() + ">");
            } else if (shown.get(i - 1).equals("--results") || shown.get(i - 1).equals("--docs")) {
                shown.set(i, "<path>");
            }
        }
        return String.join(" ", shown);
    }

    private static String cpuModel() {
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException ex) {
            return System.getProperty("os.arch");
        }
    }
}
