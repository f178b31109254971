package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.internal.UncommittedRuns.Scope;
import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The connections bound to the transaction of the calling thread, which know whether they are marked for rollback. */
class TransactionResources implements Scope {

    private static final boolean HAS_JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.EntityManagerHolder", TransactionResources.class.getClassLoader());

    static Scope newScope() {
        return HAS_JPA ? new JpaResources() : new TransactionResources();
    }

    /** Returns the bound ones of a type. */
    static <T> List<T> bound(Class<T> type) {
        List<T> found = new ArrayList<>();
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            if (type.isInstance(resource)) {
                found.add(type.cast(resource));
            }
        }
        return found;
    }

    @Override
    public void flush() {
        // A connection has sent everything.
    }

    @Override
    public void clear() {
        // A connection keeps nothing.
    }

    @Override
    public boolean isMarked() {
        return bound(ResourceHolderSupport.class).stream().anyMatch(ResourceHolderSupport::isRollbackOnly);
    }

    @Override
    public boolean unmark() {
        bound(ResourceHolderSupport.class).forEach(ResourceHolderSupport::resetRollbackOnly);
        return !isMarked();
    }
}
