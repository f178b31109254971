package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEnd.Kind;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * The ends of durable tasks since a test began, in their order, after the database has committed them; a bean of a test
 * in virtual time. Each test of a shared context sees its own ends, without those of the tests before it. Any thread.
 */
public final class DurableRuns {

    /** Guards all that follows. */
    private final Object lock = new Object();

    /** Grows at its end only. */
    private final List<Recorded> recorded = new ArrayList<>();

    /** The last end of each task. */
    private final Map<List<String>, DurableEnd> last = new HashMap<>();

    /** The number of ends at the start of the present test of a thread. */
    private final Map<Thread, Integer> begins = new WeakHashMap<>();

    /** The same for the test that began last, for threads that are of no test. */
    private int lastBegin;

    /** @param isOfRun whether it is the end of a run, and not of a task that did not run on */
    private record Recorded(DurableEnd end, boolean isOfRun) {}

    private final DurableEngine engine;

    private DurableRuns(DurableEngine engine) {
        this.engine = engine;
    }

    /** Records the ends that happen on that node from now on. */
    public static DurableRuns of(DurableEngine engine) {
        DurableRuns runs = new DurableRuns(engine);
        engine.listen(runs.listener());
        return runs;
    }

    private DurableListener listener() {
        return this::add;
    }

    /** Adds an end, as that of a run in a transaction of a test. */
    void add(DurableEnd end) {
        synchronized (lock) {
            DurableEnd before = last.put(List.of(end.handler(), end.id()), end);
            boolean ignored = recorded.add(new Recorded(end, isOfRun(end, before)));
        }
    }

    /** A task that was cancelled, ended or freed where it waited has the attempt of its last end, or none. */
    private static boolean isOfRun(DurableEnd end, @Nullable DurableEnd before) {
        return switch (end.kind()) {
            case DONE, AGAIN, RETRIED, GIVEN_UP -> true;
            case TAKEN_OVER -> false;
            case CANCELLED -> end.attempt() > 0 && (before == null || !isAttemptOver(end, before));
        };
    }

    private static boolean isAttemptOver(DurableEnd end, DurableEnd before) {
        return before.attempt() == end.attempt() && before.kind() != Kind.DONE && before.kind() != Kind.AGAIN;
    }

    /** Begins a test on the calling thread. */
    void begin() {
        synchronized (lock) {
            lastBegin = recorded.size();
            begins.put(Thread.currentThread(), lastBegin);
        }
    }

    private List<Recorded> ofTest() {
        synchronized (lock) {
            return List.copyOf(recorded.subList(beginOfTest(), recorded.size()));
        }
    }

    private int beginOfTest() {
        return begins.getOrDefault(Thread.currentThread(), lastBegin);
    }

    /** Returns the ends since the test began, also of tasks that were cancelled or taken over before they ran. */
    public List<DurableEnd> ends() {
        return ofTest().stream().map(Recorded::end).toList();
    }

    /** Returns those of them that are ends of runs. */
    List<DurableEnd> ofRuns() {
        return ofTest().stream().filter(Recorded::isOfRun).map(Recorded::end).toList();
    }

    /** Returns a search for the first end of a run of a task in this test. */
    Search firstOf(String handler, String id) {
        synchronized (lock) {
            return new Search(handler, id, beginOfTest());
        }
    }

    /** Reads each end once, however often it looks. One thread. */
    final class Search {

        private final String handler;
        private final String id;
        private int next;
        private @Nullable DurableEnd found;

        private Search(String handler, String id, int next) {
            this.handler = handler;
            this.id = id;
            this.next = next;
        }

        /** Returns it; null if there is none so far. */
        @Nullable
        DurableEnd find() {
            synchronized (lock) {
                while (found == null && next < recorded.size()) {
                    Recorded each = recorded.get(next++);
                    boolean fits = each.isOfRun
                            && each.end.handler().equals(handler)
                            && each.end.id().equals(id);
                    found = fits ? each.end : null;
                }
                return found;
            }
        }

        /** Returns it, which has been found. */
        DurableEnd get() {
            return Objects.requireNonNull(find());
        }
    }

    /** Returns the ends that happen while an action runs, as of a verb that moves time. */
    public DurableRuns during(Runnable action) {
        int before;
        synchronized (lock) {
            before = recorded.size();
        }
        action.run();
        DurableRuns during = new DurableRuns(engine);
        synchronized (lock) {
            boolean ignored = during.recorded.addAll(recorded.subList(before, recorded.size()));
        }
        return during;
    }

    /** Returns what is scheduled now, for the message of a failed assertion; nothing if the database cannot say. */
    String whatIsScheduled() {
        try {
            return "; " + DurableTasksAssert.whatIsScheduled(engine);
        } catch (DataAccessException ex) {
            return "";
        }
    }

    @Override
    public String toString() {
        return ends().toString();
    }
}
