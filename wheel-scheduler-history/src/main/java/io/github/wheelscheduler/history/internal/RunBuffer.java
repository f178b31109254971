package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.internal.TaskBudget.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Keeps rows until they are written, and counts runs that have none. No call waits for the database. Any thread. */
public final class RunBuffer {

    /** Number of rows from which they are written without delay. */
    static final int BATCH = 500;

    /** The number of names from which further ones share one budget, unless their task is registered. */
    private static final int MOST_NAMES = 100_000;

    private static final String OTHERS = "(others)";

    private final ArrayBlockingQueue<NotedRun> rows;
    private final ArrayBlockingQueue<AuditEntry> audit;
    private final Map<String, TaskBudget> budgets = new ConcurrentHashMap<>();
    private final int mostSuccesses;
    private final int mostOthers;
    private final Set<String> unlimited;
    private final boolean keepsTraces;
    private final Triggers triggers = new Triggers();

    /** Texts of failures that wait, by their kinds. */
    private final Map<String, FailureText> texts = new ConcurrentHashMap<>();

    private final LongAdder dropped = new LongAdder();
    private final LongAdder overBudget = new LongAdder();

    /** Rows that were written with their ends. */
    private final LongAdder withEnds = new LongAdder();

    private final LongAdder refusals = new LongAdder();

    /** The number of rows from which runs that do not take place are counted, and displace no others. */
    private final int mostNotRun;

    /** Called when there is a row. Writer: the engine, when it starts. */
    private volatile Runnable rowIsThere = () -> {};

    /** Called when there are rows for a batch. Writer: the engine, when it starts. */
    private volatile Runnable batchIsThere = () -> {};

    /** Set when the engine closes. */
    private volatile boolean isClosed;

    public RunBuffer(HistorySettings settings) {
        this.rows = new ArrayBlockingQueue<>(settings.buffer());
        this.audit = new ArrayBlockingQueue<>(settings.buffer());
        this.mostNotRun = settings.buffer() / 2;
        this.mostSuccesses = settings.successesPerHour();
        this.mostOthers = settings.othersPerHour();
        this.unlimited = settings.unlimited();
        this.keepsTraces = settings.traces();
    }

    /**
     * Sets what is called on threads of runs, and must be quick.
     *
     * @param row when there is a row
     * @param batch when there are rows for a batch
     */
    public void onRows(Runnable row, Runnable batch) {
        rowIsThere = row;
        batchIsThere = batch;
    }

    boolean keepsTraces() {
        return keepsTraces;
    }

    /** Returns whether runs are to have a row; counts them if not. Only registered tasks are skipped or missed. */
    boolean takes(String task, HistoryOutcome outcome, long runs, long micros, long atMicros) {
        boolean isRegistered = outcome == HistoryOutcome.SKIPPED || outcome == HistoryOutcome.MISSED;
        KnownTask known = new KnownTask(this, task, isRegistered ? Integer.MAX_VALUE : MOST_NAMES);
        return takes(known, outcome, runs, micros, atMicros);
    }

    /** Returns the same for a task whose runs keep that. */
    boolean takes(KnownTask of, HistoryOutcome outcome, long runs, long micros, long atMicros) {
        if (of.isUnlimited) {
            return true;
        }
        if (outcome.kind() == HistoryOutcome.Kind.NOT_RUN && rows.size() >= mostNotRun) {
            // A scheduler that closes cancels any number of tasks at once.
            addTotals(RunTotals.of(of.task, outcome, runs, micros, atMicros));
        } else {
            Answer answer = of.budget.takes(outcome, runs, micros, atMicros);
            while (answer == Answer.GONE) {
                of.budget = budget(of.task, of.mostNames);
                answer = of.budget.takes(outcome, runs, micros, atMicros);
            }
            if (answer == Answer.ROW) {
                return true;
            }
        }
        overBudget.add(runs);
        return false;
    }

    /** A task, with its budget at hand. */
    static class KnownTask {

        final String task;
        private final boolean isUnlimited;
        private final int mostNames;

        /** Replaced once it is no longer in use. Writers: threads that end runs; each value is right. */
        private volatile TaskBudget budget;

        /** Makes a registered one. */
        KnownTask(RunBuffer buffer, String task) {
            this(buffer, task, Integer.MAX_VALUE);
        }

        private KnownTask(RunBuffer buffer, String task, int mostNames) {
            this.task = task;
            this.isUnlimited = buffer.unlimited.contains(task);
            this.mostNames = mostNames;
            this.budget = buffer.budget(task, mostNames);
        }
    }

    private void addTotals(RunTotals totals) {
        while (!budget(totals.task(), MOST_NAMES).count(totals)) {
            Thread.onSpinWait();
        }
    }

    /** Returns whether runs are to have a row, if their end is committed; {@link #count} counts them otherwise. */
    boolean reserves(String task, HistoryOutcome outcome, long atMicros) {
        if (unlimited.contains(task)) {
            return true;
        }
        Answer answer;
        do {
            answer = budget(task, Integer.MAX_VALUE).reserves(outcome, atMicros);
        } while (answer == Answer.GONE);
        return answer == Answer.ROW;
    }

    void count(RunTotals runs) {
        addTotals(runs);
        overBudget.add(runs.runs());
    }

    /** Notes a row that was written with its end; the text of its failure is still to be written. */
    void addWritten(NotedRun row) {
        if (row.thrown() == null || isClosed || !rows.offer(withoutThrown(row.withRow()))) {
            withEnds.increment();
        } else {
            rowIsThere.run();
        }
    }

    /** Counts a run that is to have no row, unless each run of its task has one; returns whether it has one. */
    boolean takesIfUnlimited(String task, HistoryOutcome outcome, long micros, long atMicros) {
        if (!unlimited.isEmpty() && unlimited.contains(task)) {
            return true;
        }
        while (!budget(task, MOST_NAMES).counts(outcome, micros, atMicros)) {
            Thread.onSpinWait();
        }
        return false;
    }

    private TaskBudget budget(String task, int mostNames) {
        TaskBudget known = budgets.get(task);
        if (known != null) {
            return known;
        }
        String name = budgets.size() < mostNames ? task : OTHERS;
        return budgets.computeIfAbsent(name, key -> new TaskBudget(key, mostSuccesses, mostOthers));
    }

    /** Exceptions are not held in an outage: while more than a batch waits, only their texts are, each once. */
    private NotedRun withoutThrown(NotedRun row) {
        if (row.thrown() == null || rows.size() < BATCH) {
            return row;
        }
        FailureText text = row.textOfFailure();
        if (text == null) {
            return row.with(null);
        }
        return row.with(
                texts.size() < RunTable.MOST_KINDS
                        ? texts.computeIfAbsent(text.kind(), kind -> text)
                        : texts.getOrDefault(text.kind(), new FailureText(text.kind(), "")));
    }

    /** Keeps a row, or drops it if there is no room. */
    void add(NotedRun row) {
        if (isClosed || !rows.offer(withoutThrown(row))) {
            dropped.increment();
        } else if (rows.size() >= BATCH) {
            batchIsThere.run();
        } else {
            rowIsThere.run();
        }
    }

    /**
     * Keeps an entry of the audit, or drops it if there is no room. One that names the user of a run to come is written
     * without delay, as that run may be another node's.
     */
    public void add(AuditEntry entry) {
        boolean isSoon = triggers.note(entry);
        if (isClosed || !audit.offer(entry)) {
            dropped.increment();
        } else if (isSoon) {
            batchIsThere.run();
        } else {
            rowIsThere.run();
        }
    }

    /** Returns the users who have triggered tasks. */
    Triggers triggers() {
        return triggers;
    }

    void dropped(long count) {
        dropped.add(count);
    }

    /** The list has room for all rows of a batch, as rows would be lost if there were no memory for it to grow. */
    List<NotedRun> takeRows() {
        List<NotedRun> taken = new ArrayList<>(BATCH);
        int ignored = rows.drainTo(taken, BATCH);
        if (rows.size() < BATCH) {
            texts.clear();
        }
        return taken;
    }

    List<AuditEntry> takeAudit() {
        List<AuditEntry> taken = new ArrayList<>(BATCH);
        int ignored = audit.drainTo(taken, BATCH);
        return taken;
    }

    /** Moves the runs that have no row into a list, and forgets tasks that have not run for an hour. */
    void takeTotals(long nowHour, List<RunTotals> taken) {
        for (TaskBudget budget : budgets.values()) {
            budget.drain(taken);
        }
        boolean ignored = budgets.values().removeIf(budget -> budget.endIfIdle(nowHour));
    }

    /** Takes back what could not be written, and removes it from the list. */
    void giveBack(List<RunTotals> totals) {
        while (!totals.isEmpty()) {
            int last = totals.size() - 1;
            addTotals(totals.get(last));
            RunTotals ignored = totals.remove(last);
        }
    }

    /** Forgets all rows, and takes no more; returns how many there were. */
    int clear() {
        isClosed = true;
        int count = size();
        rows.clear();
        audit.clear();
        return count;
    }

    /** Whether rows that come are dropped. */
    boolean isClosed() {
        return isClosed;
    }

    public int size() {
        return rows.size() + audit.size();
    }

    public long droppedCount() {
        return dropped.sum();
    }

    /** Counts a statement that the database has refused because of rows in it. */
    void refused() {
        refusals.increment();
    }

    public long refusedCount() {
        return refusals.sum();
    }

    /** Returns how many rows were written with their ends, but for those with a text. */
    public long withEndsCount() {
        return withEnds.sum();
    }

    public long overBudgetCount() {
        return overBudget.sum();
    }
}
