package io.github.wheelscheduler.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs in the profile {@code quick} only. */
@Tag("quick")
class QuickIT {

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void everyBenchmarkWorks() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        Path.of("target", "wheel-scheduler-benchmarks.jar").toString(),
                        "quick")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        System.out.println(output);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
