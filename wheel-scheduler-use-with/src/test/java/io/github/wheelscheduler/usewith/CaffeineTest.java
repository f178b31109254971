package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.test.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CaffeineTest {

    private final VirtualTime time = VirtualTime.create();

    @RegisterExtension
    final OurExecutor ours = OurExecutor.in(time);

    private final WheelScheduledExecutor executor = ours.executor();

    @Test
    void entryThatNobodyLooksAtIsRemovedInTime() {
        // snippet
        Cache<String, Session> sessions = Caffeine.newBuilder()
                .expireAfterWrite(Duration.ofMinutes(30))
                .scheduler(Scheduler.forScheduledExecutorService(executor))
                .executor(executor)
                .ticker(executor::nanoTime)
                .removalListener((String id, Session session, RemovalCause cause) -> session.close())
                .build();
        // end of snippet

        Session session = new Session();
        sessions.put("4711", session);
        time.advanceBy(Duration.ofMinutes(29));
        assertThat(session.closedBy).isEmpty();
        assertThat(executor.pendingCount()).isEqualTo(1);

        // Nothing is read or written meanwhile.
        time.advanceBy(Duration.ofMinutes(2));
        assertThat(session.closedBy).singleElement().satisfies(OurExecutor::assertIsWorker);
        assertThat(sessions.estimatedSize()).isZero();
    }

    private static final class Session {

        final List<String> closedBy = new CopyOnWriteArrayList<>();

        void close() {
            closedBy.add(Thread.currentThread().getName());
        }
    }
}
