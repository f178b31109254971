package io.github.wheelscheduler.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The processor time of the whole process: callers, timer threads, workers, compiler and collector. */
public final class Cpu {

    private static final OperatingSystemMXBean BEAN = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Cpu() {}

    /** Returns what the process has used so far; only differences mean something. */
    public static long processNanos() {
        return BEAN.getProcessCpuTime();
    }
}
