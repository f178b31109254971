package io.github.wheelscheduler.durable;

/**
 * Is told how runs of durable tasks have ended, and of tasks that are cancelled or taken over, on the node where that
 * happened, once the database has committed it. One is told at most once: a node that dies before tells nobody.
 *
 * <p>Called by one thread after another, apart from those of the tasks: one that is slow or throws holds up no task and
 * no other listener's end but its own. If more than 10,000 ends wait for listeners, further ones are dropped, which the
 * log says.
 */
@FunctionalInterface
public interface DurableListener {

    /** Takes in an end; what it throws is logged. */
    void ended(DurableEnd end);
}
