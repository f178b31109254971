package io.github.wheelscheduler.test;

import jakarta.persistence.EntityManager;
import java.util.stream.Stream;
import org.springframework.orm.jpa.EntityManagerHolder;

/** Resources with entity managers, which keep entities and whose rollback-only mark cannot be undone. */
final class JpaResources extends TransactionResources {

    private static Stream<EntityManager> managers() {
        return bound(EntityManagerHolder.class).stream()
                .map(EntityManagerHolder::getEntityManager)
                .filter(manager -> manager.isOpen() && manager.isJoinedToTransaction());
    }

    @Override
    public void flush() {
        managers().forEach(EntityManager::flush);
    }

    @Override
    public void clear() {
        managers().forEach(EntityManager::clear);
    }

    @Override
    public boolean isMarked() {
        return super.isMarked() || managers().anyMatch(JpaResources::isMarked);
    }

    private static boolean isMarked(EntityManager manager) {
        return manager.getTransaction().isActive() && manager.getTransaction().getRollbackOnly();
    }
}
