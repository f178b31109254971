package io.github.wheelscheduler.durable.internal.idle;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The nodes in the table that do not live in this virtual time, and that nobody has found dead. Beats of virtual time
 * find them dead; one that lives in another time would be found dead, too, and is an error. One thread.
 */
public final class UndrivenNodes {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int BEATS = 2;

    private final Duration heartbeat;
    private final Duration deadAfter;

    /** The ones that were there so far, as they were at first. */
    private final Map<Long, Seen> seen = new HashMap<>();

    /** Nodes that have lived in this time, and live in no other. */
    private final Set<Long> driven = new HashSet<>();

    /**
     * A node in the table.
     *
     * @param beat changes as long as it lives
     * @param beatAt when it did so last, by its clock
     */
    public record Node(long incarnation, String name, long beat, Instant beatAt) {}

    private record Seen(Node node, long sinceNanos) {}

    /** Makes one that has seen none. */
    public UndrivenNodes(Duration heartbeat, Duration deadAfter) {
        this.heartbeat = heartbeat;
        this.deadAfter = deadAfter;
    }

    /**
     * Begins a verb. Nodes of another virtual time may have lived since the one before, and do not during this one, so
     * only nodes that may live by the machine's clock stay known.
     */
    void begin() {
        boolean ignored = seen.values().removeIf(known -> !isRecent(known.node));
    }

    /** Takes in the nodes that live in this time now. */
    void noteDriven(Set<Long> incarnations) {
        boolean ignored = driven.addAll(incarnations);
    }

    /**
     * Takes in the ones that are there; returns whether one may live by the machine's clock, after a pause in which its
     * next heartbeat may have come.
     *
     * @throws IllegalStateException if one lives
     */
    public boolean mayLive(List<Node> nodes) {
        Set<Long> there = nodes.stream().map(Node::incarnation).collect(Collectors.toSet());
        long nowNanos = System.nanoTime();
        boolean mayOneLive = false;
        for (Node node : nodes) {
            Seen first = seen.get(node.incarnation);
            if (first == null ? hasJoinedAgain(node, there) : first.node.beat != node.beat) {
                throw new IllegalStateException("Each node of durable tasks must live in this virtual time, but "
                        + node.name + " does not, and its heartbeats go on. End its process or its context, or give the"
                        + " test a database or a wheel.scheduler.durable.table of its own");
            }
            long sinceNanos = first == null ? nowNanos : first.sinceNanos;
            if (first == null) {
                Seen ignored = seen.put(node.incarnation, new Seen(node, nowNanos));
            }
            mayOneLive |= isRecent(node)
                    && nowNanos - sinceNanos < heartbeat.multipliedBy(BEATS).toNanos();
        }
        if (mayOneLive) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return mayOneLive && !Thread.currentThread().isInterrupted();
    }

    /** A node that lives and was found dead joins again under another number. */
    private boolean hasJoinedAgain(Node node, Collection<Long> there) {
        return seen.values().stream()
                .anyMatch(known -> known.node.name.equals(node.name)
                        && !there.contains(known.node.incarnation)
                        && !driven.contains(known.node.incarnation));
    }

    /** A process elsewhere lives by the machine's clock. */
    private boolean isRecent(Node node) {
        return !driven.contains(node.incarnation)
                && Duration.between(node.beatAt, Instant.now()).abs().compareTo(deadAfter) < 0;
    }
}
