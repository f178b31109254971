package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.Database.HeldConnection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What the parts of a node know of it: whether it runs, and what it works with since the database has answered. Any thread. */
final class NodeState {

    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** Between start and stop. Writers: who starts, stops or closes. Reader: who claims. */
    private volatile boolean isRunning;

    /** This and the next two are null until the database has answered for the first time. Writer: who connects, this one last. Readers: all. */
    private volatile @Nullable Claims claims;

    /** Writer: who connects. Reader: who closes. */
    private volatile @Nullable Runs runs;

    /** Writer: who connects. Reader: who closes. */
    private volatile @Nullable HeldConnection held;

    /** @throws IllegalStateException if it has been closed */
    void start() {
        if (isClosed.get()) {
            throw new IllegalStateException("A node that has been closed cannot be started");
        }
        isRunning = true;
    }

    void stop() {
        isRunning = false;
    }

    /** Closes it for good; true for one caller. */
    boolean close() {
        if (!isClosed.compareAndSet(false, true)) {
            return false;
        }
        isRunning = false;
        return true;
    }

    boolean isRunning() {
        return isRunning;
    }

    boolean isClosed() {
        return isClosed.get();
    }

    /** Whether the database has answered, and rows can be claimed. */
    boolean isConnected() {
        return claims != null;
    }

    @Nullable
    Claims claims() {
        return claims;
    }

    void setClaims(Claims newClaims) {
        claims = newClaims;
    }

    @Nullable
    Runs runs() {
        return runs;
    }

    void setRuns(Runs newRuns) {
        runs = newRuns;
    }

    @Nullable
    HeldConnection held() {
        return held;
    }

    void setHeld(HeldConnection newHeld) {
        held = newHeld;
    }
}
