package io.github.wheelscheduler.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Patience;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The table of places, errors and promises. Each place of the engine that allocates, asks for stack or calls foreign
 * code fails, while {@link Story} asserts the promises; and each catch that has caught such a failure is left out,
 * which has to break one.
 */
class FaultsTest {

    /** Places that need no memory, or whose failure is promised less. */
    private static final Set<String> LEFT_OUT = Set.of(
            // Room has been found before.
            "Lifecycle.giveBack#1 allocates List.add",
            "ReadyQueue.pollAll#3 allocates List.add",
            // A clock that fails, and is no clock then, ends the series with its error.
            "Arming.repeat#1 calls TimeSource.nanoTime",
            // A worker has all of its stack: it comes to this door at the beginning.
            "ScheduledTimer.run#1 asks for stack StackReserve.ask");

    /** Catches that another one backs up, or that keep an order, a log, a count, or what a longer spell may break. */
    private static final Set<String> NOT_OF_THE_TABLE = Set.of(
            "ExecutorFeeder.isTaken catch 1",
            "ExecutorFeeder.step catch 1",
            "FirstStart.startIfNeeded catch 1",
            "GroupRefusals$Refused.reason catch 1",
            "IdleSlots.newWorkerAt catch 1",
            "Lifecycle.leavesIf catch 1",
            "Lifecycle.tellOfShutdown catch 1",
            "PoolSize.startIfAllowed catch 1",
            "RunBoundary.run catch 2",
            "RunObservation.tell catch 1",
            "ScheduledTimer$Failure.of catch 1",
            "ScheduledTimer.perform catch 1",
            "Starter.appointDeputy catch 1",
            "ShortMemory.untilDone catch 1",
            "TickLoop.admitWhatHasCome catch 1",
            "WallClockWatch.readWallClock catch 2");

    /** Twice in a row, in the handling of a failure, too; once; and later. */
    private static final List<Failure> FAILURES = List.of(
            new Failure(0, 2, true), new Failure(0, 1, false), new Failure(2, 1, true), new Failure(2, 1, false));

    private static final Duration SHORT_PATIENCE = Duration.ofSeconds(3);

    private final FaultLoader engine = new FaultLoader(FaultsTest.class.getClassLoader(), null);
    private @Nullable LogCapture log;

    @BeforeEach
    void keepLogQuiet() {
        log = LogCapture.of("io.github.wheelscheduler");
    }

    @AfterEach
    void endLog() {
        Fault.disarm();
        Fault.setPatience(Patience.PATIENCE);
        if (log != null) {
            log.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void failureAnywhereKeepsEachPromise(WorkerKind kind) throws Exception {
        Map<String, String> broken = new TreeMap<>();
        for (Row row : rows(kind, Scale.of(1, 2, FAILURES.size()))) {
            String promise = row.brokenBy(engine, kind);
            if (promise != null) {
                broken.put(row.toString(), promise);
            }
        }
        assertThat(broken).isEmpty();
    }

    @EnabledIfSystemProperty(named = "wheel.test.scale", matches = "long")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    @Test
    void catchThatIsLeftOutBreaksAPromise() throws Exception {
        Set<String> unneeded = new TreeSet<>();
        Set<String> needed = new TreeSet<>();
        for (WorkerKind kind : WorkerKind.values()) {
            Map<String, List<Row>> rowsOfCatch = rowsOfCatch(kind);
            rowsOfCatch.keySet().removeAll(needed);
            Fault.setPatience(SHORT_PATIENCE);
            for (Map.Entry<String, List<Row>> each : rowsOfCatch.entrySet()) {
                FaultLoader without = new FaultLoader(FaultsTest.class.getClassLoader(), each.getKey());
                (isAnyBroken(without, kind, each.getValue()) ? needed : unneeded).add(each.getKey());
            }
            Fault.setPatience(Patience.PATIENCE);
        }
        unneeded.removeAll(needed);
        assertThat(needed).isNotEmpty();
        assertThat(unneeded).isSubsetOf(NOT_OF_THE_TABLE);
    }

    /** Returns, for each catch, the rows whose failure it has caught. */
    private Map<String, List<Row>> rowsOfCatch(WorkerKind kind) throws Exception {
        Map<String, List<Row>> rowsOfCatch = new TreeMap<>();
        for (Row row : rows(kind, FAILURES.size())) {
            String ignored = row.brokenBy(engine, kind);
            for (String each : Fault.CAUGHT) {
                rowsOfCatch.computeIfAbsent(each, same -> new ArrayList<>()).add(row);
            }
        }
        return rowsOfCatch;
    }

    private static boolean isAnyBroken(FaultLoader engine, WorkerKind kind, List<Row> rows) throws Exception {
        for (Row row : rows) {
            if (row.brokenBy(engine, kind) != null) {
                return true;
            }
        }
        return false;
    }

    /** Returns the rows of the places that only this kind of workers comes to; of the first kind, all. */
    private List<Row> rows(WorkerKind kind, int failures) throws Exception {
        Set<String> places = placesOf(kind);
        if (kind != WorkerKind.ELASTIC) {
            places.removeAll(placesOf(WorkerKind.ELASTIC));
        }
        places.removeAll(LEFT_OUT);
        List<Row> rows = new ArrayList<>();
        for (String place : places) {
            FAILURES.subList(0, failures).forEach(failure -> rows.add(new Row(place, failure)));
        }
        return rows;
    }

    private Set<String> placesOf(WorkerKind kind) throws Exception {
        Fault.disarm();
        Fault.REACHED.clear();
        play(engine, kind, true);
        play(engine, kind, false);
        return new TreeSet<>(Fault.REACHED);
    }

    @SuppressWarnings("unchecked")
    private static void play(FaultLoader engine, WorkerKind kind, boolean isStopped) throws Exception {
        Consumer<String> story = (Consumer<String>)
                engine.loadClass(Story.class.getName()).getDeclaredConstructor().newInstance();
        story.accept(kind + (isStopped ? Story.STOPPED : ""));
    }

    /** A failure that comes after so many passes, so many times. */
    private record Failure(int passes, int times, boolean isStopped) {}

    private record Row(String place, Failure failure) {

        /** Returns the promise that the failure breaks; null if all are kept. */
        @Nullable
        String brokenBy(FaultLoader engine, WorkerKind kind) throws Exception {
            Fault.arm(place, failure.passes, failure.times);
            try {
                play(engine, kind, failure.isStopped);
                return null;
            } catch (AssertionError | RuntimeException | VirtualMachineError | Fault.Thrown ex) {
                return ex.toString();
            }
        }
    }
}
