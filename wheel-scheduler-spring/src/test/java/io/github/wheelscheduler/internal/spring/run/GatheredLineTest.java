package io.github.wheelscheduler.internal.spring.run;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.testing.Gate;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When what has been gathered is said, and by whom. */
class GatheredLineTest {

    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<Thread> reporters = new CopyOnWriteArrayList<>();
    private final Gate gate = new Gate();
    private final Thread caller = Thread.currentThread();

    private GatheredLine newLine(Runnable before) {
        LogTime time = new LogTime(System::nanoTime, summary -> {}, reporter -> {
            Thread created = new Thread(() -> {
                before.run();
                reporter.run();
            });
            reporters.add(created);
            return created;
        });
        return new GatheredLine((times, sum, named) -> String.join(", ", named), said::add, time);
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
    void gatheredLinesNeedOneThreadWhichEnds() throws Exception {
        GatheredLine line = newLine(() -> {});
        for (String name : List.of("first", "second", "first", "first", "third", "fourth")) {
            gather(line, name);
        }
        assertThat(reporters).hasSize(1);
        reporters.get(0).join();
        // The first three, each once.
        assertThat(said).containsExactly("first, second, third");
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

    /** Names are the user's, and so is the factory. */
    @Test
    void nameAndThreadAreAskedForUnderNoLock() {
        AtomicReference<@Nullable GatheredLine> line = new AtomicReference<>();
        AtomicInteger calls = new AtomicInteger();
        Runnable call = () -> {
            calls.incrementAndGet();
            Thread other = new Thread(() -> gather(Objects.requireNonNull(line.get()), "other"));
            other.start();
            try {
                other.join(10_000);
            } catch (InterruptedException ex) {
                throw new AssertionError(ex);
            }
            assertThat(other.isAlive()).as("waits for a lock").isFalse();
        };
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Runnable checked = () -> {
            try {
                if (Thread.currentThread() == caller) {
                    call.run();
                }
            } catch (Throwable ex) {
                failures.add(ex);
            }
        };
        LogTime time = new LogTime(System::nanoTime, summary -> checked.run(), reporter -> {
            checked.run();
            return new Thread(reporter);
        });
        line.set(new GatheredLine((times, sum, named) -> times + " " + named, said::add, time));
        Objects.requireNonNull(line.get())
                .add(
                        () -> {
                            checked.run();
                            return "own";
                        },
                        1);
        assertThat(failures).isEmpty();
        // The name, and the thread or what sums up; who is faster starts the reporter.
        assertThat(calls).hasPositiveValue();
        awaitThat(() -> said.size() == 1);
        assertThat(said.get(0)).startsWith(calls.get() + 1 + " [");
    }
}
