package io.github.wheelscheduler.sample.connections;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.spring.TimerWheel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application without {@code @EnableScheduling} that injects the wheel: an answer is a touch. */
final class WheelKeeper implements Keeper {

    private final ConfigurableApplicationContext context;
    private final WheelScheduledExecutor executor;
    private final IdleTimeouts<Connection> idle;
    private final Duration idleLimit;
    private final Duration period;

    @SuppressWarnings("unchecked")
    WheelKeeper(Duration idleLimit, Duration period) {
        this.idleLimit = idleLimit;
        this.period = period;
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run();
        executor = context.getBean(TimerWheel.class).executor();
        idle = context.getBean(IdleTimeouts.class);
    }

    @EnableAutoConfiguration
    static class Application {

        @Bean
        IdleTimeouts<Connection> idleConnections(TimerWheel wheel) {
            return IdleTimeouts.<Connection>builder(wheel.executor(), Connection::close)
                    .build();
        }
    }

    @Override
    public void keep(Connection connection, long firstBeatNanos) {
        IdleTimeout timeout = idle.register(connection, idleLimit);
        connection.beatBy(executor.scheduleAtFixedRate(
                () -> {
                    if (connection.beat()) {
                        boolean ignored = timeout.touch();
                    }
                },
                firstBeatNanos,
                period.toNanos(),
                TimeUnit.NANOSECONDS));
    }

    @Override
    public void close() {
        context.close();
    }
}
