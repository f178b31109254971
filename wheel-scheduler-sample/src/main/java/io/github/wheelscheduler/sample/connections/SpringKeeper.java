package io.github.wheelscheduler.sample.connections;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring's own scheduler, which has no touch: an answer cancels the timer of the connection and schedules another. */
final class SpringKeeper implements Keeper {

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final Duration idleLimit;
    private final Duration period;

    SpringKeeper(Duration idleLimit, Duration period) {
        this.idleLimit = idleLimit;
        this.period = period;
        scheduler.setPoolSize(Runtime.getRuntime().availableProcessors());
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.initialize();
    }

    @Override
    public void keep(Connection connection, long firstBeatNanos) {
        Timeout timeout = new Timeout(connection);
        timeout.renew();
        connection.beatBy(scheduler.scheduleAtFixedRate(
                () -> {
                    if (connection.beat()) {
                        timeout.renew();
                    }
                },
                Instant.now().plusNanos(firstBeatNanos),
                period));
    }

    /** Only one beat of a connection runs at a time. */
    private final class Timeout {

        private final Connection connection;
        private @Nullable ScheduledFuture<?> pending;

        Timeout(Connection connection) {
            this.connection = connection;
        }

        synchronized void renew() {
            if (pending == null || pending.cancel(false)) {
                pending = scheduler.schedule(connection::close, Instant.now().plus(idleLimit));
            }
        }
    }

    @Override
    public void close() {
        scheduler.destroy();
    }
}
