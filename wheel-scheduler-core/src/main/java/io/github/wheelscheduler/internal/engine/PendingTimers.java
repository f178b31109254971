package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.Limit;
import io.github.wheelscheduler.internal.StripedCount;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the timers that are pending: in the inbox, in the wheel, or ready. Each move of a timer's state that makes it
 * pending or ends that is counted once, by the thread that made the move; so the count is exact at rest.
 *
 * <p>With a bound, every timer needs a permit. A repeating timer keeps it through its runs, so that it can always be
 * armed again.
 */
public final class PendingTimers {

    /** The number of finished timers that may remain in the wheel. */
    private static final int MAX_LITTER = 4096;

    /**
     * Counts every timer that becomes pending, as that is posted, and other messages, too; those of groups are not
     * among them.
     */
    private final LongSupplier posted;

    /** Timers that have become pending without a message. */
    private final StripedCount handedOver = new StripedCount();

    private final StripedCount otherPosts = new StripedCount();
    final StripedCount started = new StripedCount();
    final StripedCount cancelled = new StripedCount();

    /** A repeating timer keeps its permit, and takes it again in any case. A group shares them with the executor. */
    public final Limit permits;

    /**
     * The executor whose inbox the messages of a group pass through, without being part of its count; null for the
     * executor itself.
     */
    private final @Nullable PendingTimers root;

    /** The messages posted by a group; for the executor itself, by all groups. */
    final StripedCount messages = new StripedCount();

    /** The number of those messages that no longer concern a pending timer of a group; one number for all groups. */
    private final StripedCount goneOfGroups;

    /** Counts messages through the inbox. */
    PendingTimers(LongSupplier posted, long max) {
        this.posted = () -> {
            // First: a group that is about to post hides no timer of the executor.
            long postedByGroups = messages.sum();
            return posted.getAsLong() - postedByGroups;
        };
        this.permits = new Limit(max);
        this.root = null;
        this.goneOfGroups = new StripedCount();
    }

    /** Counts messages of a group, within the bound of the executor. */
    PendingTimers(PendingTimers root) {
        this.posted = messages::sum;
        this.permits = root.permits;
        this.root = root;
        this.goneOfGroups = root.goneOfGroups;
    }

    /** Counts a message before it is posted; -1 if posting it has failed. */
    void countMessage(int number) {
        if (root != null) {
            messages.add(number);
            root.messages.add(number);
        }
    }

    /** Gives the permit of a timer back, if it still has one. */
    void releasePermit(ScheduledTimer<?> timer) {
        if (timer.takePermit()) {
            permits.giveBack();
        }
    }

    /**
     * Counts a message about a timer that had been pending before, after it has been posted; -1 for a timer that was
     * counted as started or cancelled and has not been posted.
     */
    void countOtherPost(int number) {
        otherPosts.add(number);
        countGoneOfGroup(number);
    }

    /**
     * Counts a timer that becomes pending by being handed to the workers at once, before it is; -1 if it is posted
     * instead.
     */
    void countHandOver(int number) {
        handedOver.add(number);
        countGoneOfGroup(-number);
    }

    /** Counts a pending timer that has started. */
    void started() {
        started.increment();
        countGoneOfGroup(1);
    }

    /** Counts a pending timer that has been cancelled or given back. */
    void cancelled() {
        cancelled.increment();
        countGoneOfGroup(1);
    }

    private void countGoneOfGroup(int number) {
        if (root != null) {
            goneOfGroups.add(number);
        }
    }

    /** Returns how many timers have become pending so far. At rest it is exact. */
    long scheduledSoFar() {
        return posted.getAsLong() + handedOver.sum() - otherPosts.sum();
    }

    /**
     * Returns how many timers are pending, never more than there may be. At rest it is exact; in between, a timer that
     * moves may be missed.
     */
    public long count() {
        long gone = started.sum() + cancelled.sum() + otherPosts.sum();
        return Math.max(0, Math.min(permits.max(), posted.getAsLong() + handedOver.sum() - gone));
    }

    /** Returns how many timers are pending, those of groups included. */
    long countWithGroups() {
        if (root != null) {
            return count();
        }
        // Departures first, so that a timer that is added and removed meanwhile hides no other.
        long gone = goneOfGroups.sum();
        return count() + Math.max(0, messages.sum() - gone);
    }

    /** Whether no timer of a group is pending. Not asked of a group. */
    boolean isNoneOfGroups() {
        // In this order, as above.
        long gone = goneOfGroups.sum();
        return messages.sum() <= gone;
    }

    /**
     * Returns how many of the timers in the wheel are over, if there are many of them; else 0. Does
     * not see as many of them as there are pending timers elsewhere.
     */
    long litter(long wheelSize) {
        if (wheelSize <= MAX_LITTER) {
            return 0;
        }
        long litter = wheelSize - countWithGroups();
        return litter > MAX_LITTER ? litter : 0;
    }

    /** Whether this many finished timers should be swept out at once. */
    boolean isTooMuchLitter(long litter) {
        return litter > 0 && litter > countWithGroups();
    }

    /** Returns how many permits are in use; the pending count where there is no bound. */
    public long inUse() {
        return permits.isBounded() ? permits.taken() : countWithGroups();
    }
}
