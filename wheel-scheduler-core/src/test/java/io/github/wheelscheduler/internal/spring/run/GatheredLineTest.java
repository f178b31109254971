package io.github.wheelscheduler.internal.spring.run;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.testing.Gate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** When what has been gathered is said, and by whom. */
class GatheredLineTest {

    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<Thread> reporters = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    private GatheredLine newLine(Runnable before) {
        LogTime time = new LogTime(System::nanoTime, summary -> {}, reporter -> {
            Thread created = new Thread(() -> {
                before.run();
                reporter.run();
            });
            reporters.add(created);
            return created;
        });
        return new GatheredLine((times, sum, named) -> named.get(0), said::add, time);
    }

    private void gather(GatheredLine line, String text) {
        line.add(() -> text, 1);
    }

    @Test
    void reporterThatComesLateLeavesTheNextLineToItsOwn() throws Exception {
        GatheredLine line = newLine(gate);
        gather(line, "first");
        line.say();
        gather(line, "second");
        assertThat(reporters).hasSize(2);
        gate.open();
        reporters.get(0).join();
        assertThat(said).containsExactly("first");
        line.say();
        reporters.get(1).join();
        assertThat(said).containsExactly("first", "second");
    }

    @Test
    void whatIsGatheredTogetherNeedsOneThreadWhichEnds() throws Exception {
        GatheredLine line = newLine(() -> {});
        gather(line, "first");
        gather(line, "more");
        gather(line, "more");
        assertThat(reporters).hasSize(1);
        reporters.get(0).join();
        assertThat(said).containsExactly("first");
    }

    @Test
    void lineHasNothingOfACallThatFailsForItsName() {
        GatheredLine line = newLine(gate);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> line.add(
                        () -> {
                            throw new OutOfMemoryError("on purpose");
                        },
                        1));
        line.say();
        assertThat(said).isEmpty();
        gather(line, "first");
        line.say();
        assertThat(said).containsExactly("first");
        gate.open();
    }

    @Test
    void reporterThatIsWokenEarlyWaitsOn() {
        GatheredLine line = newLine(() -> {});
        long startNanos = System.nanoTime();
        gather(line, "first");
        reporters.get(0).interrupt();
        awaitThat(() -> !said.isEmpty());
        assertThat(System.nanoTime() - startNanos).isGreaterThanOrEqualTo(1_000_000_000);
    }
}
