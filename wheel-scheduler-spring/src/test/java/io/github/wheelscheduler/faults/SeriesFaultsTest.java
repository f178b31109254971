package io.github.wheelscheduler.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.TaskUtils;

/** Memory runs out once at each place of observed runs: {@link SeriesStory} asserts the promises. */
class SeriesFaultsTest {

    private final FaultLoader loader = new FaultLoader(SeriesFaultsTest.class.getClassLoader(), null);
    private final LogCapture log = LogCapture.of("io.github.wheelscheduler");
    private final LogCapture springsLog = LogCapture.ofPackage(TaskUtils.class);

    @AfterEach
    void endLog() {
        Fault.disarm();
        log.close();
        springsLog.close();
    }

    @Test
    void seriesGoesOnWhereverItsRunFindsNoMemory() throws Exception {
        Fault.disarm();
        play(Fault.REACHED::clear);
        Map<String, String> broken = new TreeMap<>();
        for (String place : new TreeSet<>(Fault.REACHED)) {
            if (place.contains(Fault.ALLOCATES)) {
                for (int passes = 0; passes < Scale.of(1, 2, 3); passes++) {
                    int before = passes;
                    try {
                        play(() -> Fault.arm(place, before, 1));
                    } catch (AssertionError | RuntimeException | VirtualMachineError ex) {
                        broken.put(place + " after " + before, ex.toString());
                    }
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private void play(Runnable arm) throws Exception {
        Consumer<Runnable> story = (Consumer<Runnable>) loader.loadClass(SeriesStory.class.getName())
                .getDeclaredConstructor()
                .newInstance();
        story.accept(arm);
    }
}
