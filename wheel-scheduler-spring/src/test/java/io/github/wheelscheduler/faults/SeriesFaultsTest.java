package io.github.wheelscheduler.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.TaskUtils;

/** Memory runs out once at each place that a story comes to, which asserts the promises. */
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

    @Tag("full")
    @Test
    void seriesGoesOnWhereverItsRunFindsNoMemory() throws Exception {
        assertThat(brokenIn(SeriesStory.class)).isEmpty();
    }

    @Test
    void idsAreRightWhereverACallFindsNoMemory() throws Exception {
        assertThat(brokenIn(PlacesStory.class)).isEmpty();
    }

    /** Returns the promises that are broken, by the place that failed, and the number of its passes before. */
    private Map<String, String> brokenIn(Class<? extends Consumer<Runnable>> story) throws Exception {
        Fault.disarm();
        play(story, Fault.REACHED::clear);
        Map<String, String> broken = new TreeMap<>();
        for (String place : new TreeSet<>(Fault.REACHED)) {
            for (int i = 0; place.contains(Fault.ALLOCATES) && i < Scale.of(1, 2, 3); i++) {
                int passes = i;
                try {
                    play(story, () -> Fault.arm(place, passes, 1));
                } catch (AssertionError | RuntimeException | VirtualMachineError ex) {
                    broken.put(place + " after " + passes, ex.toString());
                }
            }
        }
        return broken;
    }

    @SuppressWarnings("unchecked")
    private void play(Class<? extends Consumer<Runnable>> story, Runnable arm) throws Exception {
        Consumer<Runnable> loaded = (Consumer<Runnable>)
                loader.loadClass(story.getName()).getDeclaredConstructor().newInstance();
        loaded.accept(arm);
    }
}
