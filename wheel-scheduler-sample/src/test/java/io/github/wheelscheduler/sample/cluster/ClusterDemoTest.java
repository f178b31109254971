package io.github.wheelscheduler.sample.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The demonstration on a small scale: nothing is lost, and no process is left. */
class ClusterDemoTest {

    @Test
    void nothingIsLostAndNoProcessIsLeft() throws Exception {
        String report = play(new ClusterDemo(2, 300, Duration.ofSeconds(3)));
        System.out.println(report);

        assertThat(report)
                .contains("scheduled 300, ran 300, missing 0, ran twice ")
                .containsPattern("n[12], killed")
                .containsPattern("n[12] was killed .* after the first task was due. It had claimed \\d+ tasks");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.current().descendants().noneMatch(ClusterDemoTest::isNode));
    }

    private static String play(ClusterDemo demo) throws IOException, InterruptedException {
        Assumptions.assumeFalse(
                System.getProperty("wheel.test.skip", "").contains("postgresql"), "skipped by wheel.test.skip");
        try {
            return demo.play();
        } catch (IOException ex) {
            boolean isRequired = System.getProperty("wheel.test.require", "").contains("postgresql");
            if (isRequired || !ex.getMessage().startsWith("PostgreSQL must start here")) {
                throw ex;
            }
            System.out.println("PostgreSQL does not start here, so the demonstration on it is skipped: " + ex);
            return Assumptions.abort("PostgreSQL does not start here");
        }
    }

    private static boolean isNode(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains(ClusterNode.class.getName());
    }

    @Test
    void valueThatDoesNotFitIsToldWithTheRule() {
        Duration time = Duration.ofSeconds(12);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClusterDemo(1, 1, time))
                .withMessage("nodes must be 2 to 8, was 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClusterDemo(9, 1, time))
                .withMessage("nodes must be 2 to 8, was 9");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClusterDemo(2, 0, time))
                .withMessage("tasks must be at least 1, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClusterDemo(2, 1, Duration.ofSeconds(1)))
                .withMessage("time must be at least PT2S, was PT1S");
    }
}
