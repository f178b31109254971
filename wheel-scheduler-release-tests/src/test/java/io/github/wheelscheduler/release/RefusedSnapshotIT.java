package io.github.wheelscheduler.release;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot is built like a release, and never sent. Only the parent is built, which comes before all modules. */
class RefusedSnapshotIT {

    @TempDir
    private static Path directory;

    @BeforeAll
    static void copy() throws IOException {
        Checkout.copy(Checkout.ROOT, directory.resolve("copy"), UnaryOperator.identity());
    }

    @Test
    void deployRefusesASnapshot() {
        assertThatThrownBy(() -> run("deploy"))
                .hasMessageContaining("revision must be that of a release, was 0.0.1-SNAPSHOT: see docs/releasing.md");
    }

    @Test
    void installTakesASnapshot() throws IOException, InterruptedException {
        run("install");
    }

    private static void run(String phase) throws IOException, InterruptedException {
        Commands.maven(
                directory.resolve("copy"),
                Releases.LOGS.resolve("snapshot-" + phase + ".log"),
                Map.of(),
                List.of(
                        phase,
                        "-Prelease",
                        "-N",
                        "-Drevision=0.0.1-SNAPSHOT",
                        "-Dmaven.install.skip",
                        // so that nothing could be sent if it were not refused
                        "-DskipUpload",
                        "-DcentralSnapshotsUrl=http://localhost:9/",
                        "-Dmaven.repo.local=" + System.getProperty("wheel.release.repository")));
    }
}
