package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What is made ahead of a start, and thrown away. */
@ExtendWith(OutputCaptureExtension.class)
class WheelSchedulerPreinitializerTest {

    private static boolean hasThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith(WheelSchedulerPreinitializer.THREADS));
    }

    @Test
    void isFoundByBoot() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
                .hasAtLeastOneElementOfType(WheelSchedulerPreinitializer.class);
    }

    @Test
    void startsNoThreadAndSaysNothing(CapturedOutput output) {
        new WheelSchedulerPreinitializer().preinitialize();

        assertThat(hasThreads()).isFalse();
        assertThat(output).doesNotContain("Scheduler ", "wheel");
    }
}
