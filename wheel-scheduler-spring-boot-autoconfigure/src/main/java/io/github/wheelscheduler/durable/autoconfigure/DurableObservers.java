package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Several observers as one: what one of them throws is kept from the others. */
final class DurableObservers implements DurableObserver {

    private static final Log LOGGER = LogFactory.getLog(DurableObservers.class);

    private final List<DurableObserver> observers;

    DurableObservers(List<DurableObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void starting(String handler, Duration lateness) {
        tell(observer -> observer.starting(handler, lateness));
    }

    @Override
    public void ended(String handler, Duration length, boolean succeeded) {
        tell(observer -> observer.ended(handler, length, succeeded));
    }

    private void tell(Consumer<DurableObserver> call) {
        for (DurableObserver observer : observers) {
            try {
                call.accept(observer);
            } catch (Throwable ex) {
                ThrownLog.debug(LOGGER, "An observer of durable tasks has failed", ex);
            }
        }
    }
}
