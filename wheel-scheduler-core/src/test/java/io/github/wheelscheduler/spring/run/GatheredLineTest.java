package io.github.wheelscheduler.spring.run;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** When what has been gathered is said, and by whom. */
class GatheredLineTest {

    private final Queue<String> gathered = new ConcurrentLinkedQueue<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<Thread> reporters = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();

    private GatheredLine newLine(Runnable before) {
        return new GatheredLine(gathered::poll, said::add, new LogTime(System::nanoTime, summary -> {}, reporter -> {
            Thread created = new Thread(() -> {
                before.run();
                reporter.run();
            });
            reporters.add(created);
            return created;
        }));
    }

    private void gather(GatheredLine line, String text) {
        gathered.add(text);
        line.expect();
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
        line.expect();
        line.expect();
        assertThat(reporters).hasSize(1);
        reporters.get(0).join();
        assertThat(said).containsExactly("first");
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
