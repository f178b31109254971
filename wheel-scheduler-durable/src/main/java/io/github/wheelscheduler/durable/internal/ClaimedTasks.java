package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.ClaimPlan.Work;
import io.github.wheelscheduler.durable.internal.DurableNode.RunHere;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a node has claimed: waiting ones by handler and time, running ones, and ended ones whose ends are not
 * written yet. Handlers take turns: what starts next is of the one whose turn is longest ago. Any thread; one lock,
 * under which nothing else is called.
 */
final class ClaimedTasks {

    /** An estimate falls by one part in so many of the difference with each run that is shorter. */
    private static final int FALL = 8;

    /** A mean moves by one part in so many. */
    private static final int MEAN = 32;

    /** A run that takes so many times as long as is usual may hang: its worker is not counted on. */
    private static final int HANGS = 10;

    /** Nothing is given back for a run that is not much longer than usual: nobody may have measured its handler. */
    private static final int PATIENCE = 2;

    private static final long SOON_NANOS = 5_000_000;

    private final int workers;
    private final long lookNanos;

    private final Map<RowKey, Claim> all = new HashMap<>();
    private final Map<String, Load> loads = new HashMap<>();

    /** Handlers of which something waits; the first has the next turn. */
    private final TreeSet<Load> turns =
            new TreeSet<>(Comparator.<Load>comparingLong(load -> load.lastTurn).thenComparing(load -> load.handler));

    /** Memory ran out where a handler was to take its next turn. */
    private boolean isTurnLost;

    private long lastTurn;
    private int waiting;
    private int running;
    private @Nullable Claim suspect;

    /** The claimed tasks of one handler. Guarded by the lock. */
    private static final class Load {
        private final String handler;
        private final TreeSet<Claim> waiting = new TreeSet<>(Claim.BY_TIME);
        private final Set<Claim> running = new HashSet<>();
        private int mostRunning = Integer.MAX_VALUE;
        private long lastTurn;
        /** Rises at once and falls slowly: what is claimed is to start in time also after a longer run. */
        private long usualNanos;

        /** Only stuck rows are released, not those behind a longer run. */
        private long meanNanos;

        Load(String handler, long usualNanos) {
            this.handler = handler;
            this.usualNanos = usualNanos;
            this.meanNanos = usualNanos;
        }

        private long longestNanos(long nowNanos) {
            long longest = usualNanos;
            for (Claim claim : running) {
                longest = Math.max(longest, nowNanos - claim.startNanos);
            }
            return longest;
        }
    }

    /**
     * Makes one that has nothing.
     *
     * @param workers the number of runs that can be active at a time
     * @param lookNanos the interval between polls; also the expected duration of the runs of a handler that nobody has
     *     measured
     */
    ClaimedTasks(int workers, long lookNanos) {
        this.workers = workers;
        this.lookNanos = lookNanos;
    }

    // What waits

    /** Adds a row that waits. */
    synchronized void add(Claim claim, int mostRunning) {
        Load load = loadOf(claim);
        load.mostRunning = mostRunning;
        enqueue(load, claim);
    }

    /** If memory runs out, the row is forgotten, so that it is found and given back. */
    private void enqueue(Load load, Claim claim) {
        try {
            Claim unused = all.put(claim.key(), claim);
            if (load.waiting.add(claim)) {
                waiting++;
                boolean ignored = turns.add(load);
            }
        } catch (Throwable ex) {
            forget(claim);
            boolean ignored = dequeue(claim);
            throw ex;
        }
    }

    private boolean dequeue(Claim claim) {
        Load load = loads.get(claim.handlerName());
        if (load == null || !load.waiting.remove(claim)) {
            return false;
        }
        waiting--;
        if (load.waiting.isEmpty()) {
            boolean ignored = turns.remove(load);
        }
        return true;
    }

    /** Takes a row away that waits, and forgets it; false if it does not wait any more. */
    synchronized boolean remove(Claim claim) {
        if (!dequeue(claim)) {
            return false;
        }
        forget(claim);
        return true;
    }

    /** Forgets a row of which the database knows how it has ended, or that is not this node's any more. */
    synchronized void forget(Claim claim) {
        boolean ignored = all.remove(claim.key(), claim);
    }

    /** Returns what this node has of a row; null if that is nothing. */
    synchronized @Nullable Claim find(RowKey row) {
        return all.get(row);
    }

    /** Takes all away that waits, and forgets it. */
    synchronized List<Claim> removeWaiting() {
        List<Claim> removed = new ArrayList<>();
        for (Load load : List.copyOf(turns)) {
            removed.addAll(load.waiting);
        }
        removed.forEach(this::remove);
        return removed;
    }

    // What runs

    /** Starts what is next of what is due, and returns it; null if nothing is. */
    synchronized @Nullable Claim start(Instant now, long nowNanos) {
        Claim next = next(now);
        if (next == null) {
            return null;
        }
        Load load = loadOf(next);
        boolean ignored = load.running.add(next);
        ignored = dequeue(next);
        next.startNanos = nowNanos;
        running++;
        if (next.row().isSuspect()) {
            suspect = next;
        }
        // The place in the turns follows from the last one, which must not change in there.
        boolean isMore = turns.remove(load);
        load.lastTurn = ++lastTurn;
        if (isMore) {
            try {
                ignored = turns.add(load);
            } catch (OutOfMemoryError ex) {
                // The run starts all the same.
                isTurnLost = true;
            }
        }
        return next;
    }

    private @Nullable Claim next(Instant now) {
        for (Load load : turns) {
            Claim first = load.running.size() < load.mostRunning ? firstOf(load) : null;
            if (first != null && !first.dueAt().isAfter(now)) {
                return first;
            }
        }
        return null;
    }

    private Load loadOf(Claim claim) {
        return loads.computeIfAbsent(claim.handlerName(), name -> new Load(name, lookNanos));
    }

    private @Nullable Claim firstOf(Load load) {
        for (Claim claim : load.waiting) {
            if (suspect == null || !claim.row().isSuspect()) {
                return claim;
            }
        }
        return null;
    }

    /**
     * A run has ended, and its worker is free. Returns whether that lets something start that had to wait for it alone.
     */
    synchronized boolean ended(Claim claim, long nowNanos, boolean counts) {
        Load load = stopped(claim);
        if (load == null) {
            return false;
        }
        if (counts) {
            long taken = nowNanos - claim.startNanos;
            load.usualNanos = taken >= load.usualNanos ? taken : load.usualNanos - (load.usualNanos - taken) / FALL;
            load.meanNanos += (taken - load.meanNanos) / MEAN;
        }
        return load.mostRunning != Integer.MAX_VALUE || claim.row().isSuspect();
    }

    /** A run could not start, and is to be tried again. */
    synchronized void putBack(Claim claim) {
        Load load = stopped(claim);
        if (load != null) {
            enqueue(load, claim);
        }
    }

    private @Nullable Load stopped(Claim claim) {
        Load load = loads.get(claim.handlerName());
        if (load == null || !load.running.remove(claim)) {
            return null;
        }
        running--;
        if (suspect == claim) {
            suspect = null;
        }
        return load;
    }

    // What can be expected

    /**
     * Returns the number of rows to claim of each handler, so that they start before the next poll.
     *
     * @param candidates the number of due rows of each handler
     * @param bounds the maximum number of concurrent runs of a handler, where that is bounded
     * @param room the maximum number of rows in all; the handler whose turn is longest ago comes first
     */
    synchronized Map<String, Integer> toClaim(
            Map<String, Integer> candidates, Map<String, Integer> bounds, int room, long nowNanos) {
        List<Work> works = new ArrayList<>();
        for (Load load : turns) {
            if (!candidates.containsKey(load.handler)) {
                works.add(work(load, load.waiting.size(), load.mostRunning, load.longestNanos(nowNanos)));
            }
        }
        candidates.forEach((handler, count) -> {
            Load load = loads.getOrDefault(handler, new Load(handler, lookNanos));
            works.add(work(
                    load,
                    load.waiting.size() + count,
                    bounds.getOrDefault(handler, load.mostRunning),
                    load.longestNanos(nowNanos)));
        });
        Map<String, Integer> starts = ClaimPlan.starts(freeInNanos(nowNanos, 1), works, lookNanos);
        works.sort(Comparator.comparingLong(Work::lastTurn));
        Map<String, Integer> toClaim = new LinkedHashMap<>();
        int left = room;
        for (Work work : works) {
            Load load = loads.get(work.handler());
            int more = starts.getOrDefault(work.handler(), 0) - (load == null ? 0 : load.waiting.size());
            int limit = Math.min(Math.min(more, left), candidates.getOrDefault(work.handler(), 0));
            if (limit > 0) {
                left -= limit;
                Integer ignored = toClaim.put(work.handler(), limit);
            }
        }
        return toClaim;
    }

    private Work work(Load load, int count, int bound, long usual) {
        // What is bounded may run that often until then.
        long rounds = Math.max(1, (lookNanos + usual - 1) / Math.max(1, usual));
        long soon = bound == Integer.MAX_VALUE ? count : bound * rounds - load.running.size();
        return new Work(load.handler, load.lastTurn, usual, (int) Math.max(0, Math.min(count, soon)));
    }

    /**
     * @param patience a run that takes up to so many times as long as is usual may end at any time; a longer one takes
     *     as long again
     */
    private List<Long> freeInNanos(long nowNanos, int patience) {
        List<Long> free = new ArrayList<>();
        for (int i = running; i < workers; i++) {
            free.add(0L);
        }
        for (Load load : loads.values()) {
            for (Claim claim : load.running) {
                long age = nowNanos - claim.startNanos;
                if (age <= Math.max(lookNanos, HANGS * load.usualNanos)) {
                    free.add(age < patience * load.usualNanos ? Math.max(0, load.usualNanos - age) : age);
                }
            }
        }
        return free;
    }

    /**
     * Takes away what has been due for longer than a look and is not expected to start before the next one, and forgets
     * it: other nodes may be free.
     */
    synchronized List<Claim> removeStuck(Instant now, long nowNanos) {
        Map<String, List<Claim>> overdue = new HashMap<>();
        List<Work> works = new ArrayList<>();
        for (Load load : turns) {
            List<Claim> due = load.waiting.stream()
                    .takeWhile(claim -> !claim.dueAt().isAfter(now))
                    .toList();
            if (!due.isEmpty()) {
                List<Claim> ignored = overdue.put(load.handler, due);
                works.add(work(load, due.size(), load.mostRunning, Math.min(load.meanNanos, load.usualNanos)));
            }
        }
        if (overdue.isEmpty()) {
            return List.of();
        }
        Map<String, Integer> starts = ClaimPlan.starts(freeInNanos(nowNanos, PATIENCE), works, lookNanos);
        Instant longAgo = now.minusNanos(lookNanos);
        List<Claim> stuck = new ArrayList<>();
        overdue.forEach((handler, due) -> due.stream()
                .skip(starts.getOrDefault(handler, 0))
                .filter(claim -> claim.dueAt().isBefore(longAgo))
                .forEach(stuck::add));
        stuck.removeIf(claim -> !remove(claim));
        return stuck;
    }

    /** Forgets how long runs of handlers take that are not here any more. */
    synchronized void keepOnly(Set<String> handlers) {
        loads.values()
                .removeIf(load -> load.waiting.isEmpty() && load.running.isEmpty() && !handlers.contains(load.handler));
    }

    // Counts

    synchronized int waiting() {
        return waiting;
    }

    synchronized int running() {
        return running;
    }

    synchronized boolean hasSuspect() {
        return suspect != null
                || turns.stream()
                        .anyMatch(load -> load.waiting.stream()
                                .anyMatch(claim -> claim.row().isSuspect()));
    }

    /**
     * Returns how many more tasks of a handler can be expected to start in some milliseconds, beside the claimed ones
     * that are due.
     */
    synchronized int free(String handler, Instant now, long nowNanos) {
        long free = freeInNanos(nowNanos, 1).stream()
                .filter(nanos -> nanos < SOON_NANOS)
                .count();
        for (Load load : turns) {
            for (Claim claim : load.waiting) {
                if (free <= 0 || claim.dueAt().isAfter(now)) {
                    break;
                }
                free--;
            }
        }
        Load load = loads.get(handler);
        return (int) Math.max(0, load == null ? free : Math.min(free, (long) load.mostRunning - load.running.size()));
    }

    /**
     * The waiting rows that could start, within the bounds of their handlers and of suspects.
     *
     * @param count the number of rows
     * @param earliest the time at which the first of them is due; the end of time if there is none
     */
    record Startable(int count, Instant earliest) {}

    synchronized Startable startable() {
        if (isTurnLost) {
            isTurnLost = false;
            loads.values().stream().filter(load -> !load.waiting.isEmpty()).forEach(turns::add);
        }
        int count = 0;
        Instant earliest = Instant.MAX;
        for (Load load : turns) {
            Claim first = load.running.size() < load.mostRunning ? firstOf(load) : null;
            if (first != null) {
                count += Math.min(load.waiting.size(), load.mostRunning - load.running.size());
                earliest = first.dueAt().isBefore(earliest) ? first.dueAt() : earliest;
            }
        }
        return new Startable(count, earliest);
    }

    /** Returns those of the given rows that are not here. */
    synchronized List<RowKey> missing(Collection<RowKey> rows) {
        return rows.stream().filter(row -> !all.containsKey(row)).toList();
    }

    /** Returns what runs. */
    synchronized List<String> runningTasks() {
        return loads.values().stream()
                .flatMap(load -> load.running.stream().map(Claim::toString))
                .toList();
    }

    /** Returns what runs, and for how long. */
    synchronized List<RunHere> running(long nowNanos) {
        return loads.values().stream()
                .flatMap(load -> load.running.stream())
                .map(claim -> new RunHere(
                        claim.key().handler(), claim.key().id(), claim.handlerName(), nowNanos - claim.startNanos))
                .toList();
    }

    /**
     * Returns the handler whose runs hold all workers, longer than usual; null if some worker is free or soon will be.
     */
    synchronized @Nullable String holder(long nowNanos) {
        if (running < workers || freeInNanos(nowNanos, 1).stream().anyMatch(free -> free < lookNanos)) {
            return null;
        }
        return loads.values().stream()
                .max(Comparator.comparingInt(load -> load.running.size()))
                .map(load -> load.handler)
                .orElse(null);
    }
}
