package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableObserver;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Several observers as one: what one of them throws is kept from the others. */
final class DurableObservers implements DurableObserver {

    private final List<DurableObserver> observers;

    DurableObservers(List<DurableObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void handles(String handler) {
        tell(observer -> observer.handles(handler));
    }

    @Override
    public void starting(String handler, Duration lateness) {
        tell(observer -> observer.starting(handler, lateness));
    }

    @Override
    public void ended(String handler, Duration length, boolean succeeded) {
        tell(observer -> observer.ended(handler, length, succeeded));
    }

    /** All of them; then the first that has failed is the engine's to log. */
    private void tell(Consumer<DurableObserver> call) {
        RuntimeException failure = null;
        for (DurableObserver observer : observers) {
            try {
                call.accept(observer);
            } catch (Throwable ex) {
                if (failure == null) {
                    failure = new IllegalStateException(
                            "An observer of durable tasks has failed; tasks are not affected", ex);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
