package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableEnd.Kind;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableListener;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The ends of durable tasks since a test began, in their order, after the database has committed them; a bean of a test
 * in virtual time. Each test of a shared context sees its own ends, without those of the tests before it. Any thread.
 */
public final class DurableRuns {

    private final List<Recorded> recorded;

    /** The number of ends at the start of the present test of a thread. Guarded by itself. */
    private final Map<Thread, Integer> begins = new WeakHashMap<>();

    /** The same for the test that began last, for threads that are of no test. */
    private volatile int lastBegin;

    /** @param isOfRun whether it is the end of a run, and not of a task that did not run on */
    private record Recorded(DurableEnd end, boolean isOfRun) {}

    private DurableRuns(List<Recorded> recorded) {
        this.recorded = recorded;
    }

    /** Records the ends that happen on that node from now on. */
    public static DurableRuns of(DurableEngine engine) {
        DurableRuns runs = new DurableRuns(new CopyOnWriteArrayList<>());
        engine.listen(runs.listener());
        return runs;
    }

    private DurableListener listener() {
        return this::add;
    }

    /** Adds an end, as that of a run in a transaction of a test. */
    void add(DurableEnd end) {
        boolean ignored = recorded.add(new Recorded(end, isOfRun(end)));
    }

    /** A task that was cancelled, ended or freed where it waited has the attempt of its last end, or none. */
    private boolean isOfRun(DurableEnd end) {
        return switch (end.kind()) {
            case DONE, AGAIN, RETRIED, GIVEN_UP -> true;
            case TAKEN_OVER -> false;
            case CANCELLED -> end.attempt() > 0 && !isAttemptOver(end);
        };
    }

    private boolean isAttemptOver(DurableEnd end) {
        List<Recorded> all = List.copyOf(recorded);
        for (int i = all.size() - 1; i >= 0; i--) {
            DurableEnd before = all.get(i).end;
            if (before.handler().equals(end.handler()) && before.id().equals(end.id())) {
                return before.attempt() == end.attempt() && before.kind() != Kind.DONE && before.kind() != Kind.AGAIN;
            }
        }
        return false;
    }

    /** Begins a test on the calling thread. */
    void begin() {
        int size = recorded.size();
        synchronized (begins) {
            begins.put(Thread.currentThread(), size);
        }
        lastBegin = size;
    }

    private List<Recorded> ofTest() {
        int from;
        synchronized (begins) {
            from = begins.getOrDefault(Thread.currentThread(), lastBegin);
        }
        List<Recorded> all = List.copyOf(recorded);
        return all.subList(from, all.size());
    }

    /** Returns the ends since the test began, also of tasks that were cancelled or taken over before they ran. */
    public List<DurableEnd> ends() {
        return ofTest().stream().map(Recorded::end).toList();
    }

    /** Returns those of them that are ends of runs. */
    List<DurableEnd> ofRuns() {
        return ofTest().stream().filter(Recorded::isOfRun).map(Recorded::end).toList();
    }

    /** Returns the ends that happen while an action runs, as of a verb that moves time. */
    public DurableRuns during(Runnable action) {
        int before = recorded.size();
        action.run();
        List<Recorded> all = List.copyOf(recorded);
        return new DurableRuns(all.subList(before, all.size()));
    }

    @Override
    public String toString() {
        return ends().toString();
    }
}
