package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableCounts;
import io.github.wheelscheduler.durable.DurableEngine;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health of durable tasks: down while their database does not answer, or refuses changes. */
final class DurableHealthIndicator extends AbstractHealthIndicator {

    private final DurableEngine engine;

    DurableHealthIndicator(DurableEngine engine) {
        this.engine = engine;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Throwable problem = engine.problem();
        DurableCounts counts = engine.counts();
        String holder = engine.holder();
        Health.Builder ignored = (problem == null ? builder.up() : builder.down(problem))
                .withDetail("node", engine.settings().node())
                .withDetail("waiting", counts.waiting())
                .withDetail("running", counts.running())
                .withDetail("clockError", engine.clockError().toString());
        if (engine.refusesChanges()) {
            Health.Builder unused = builder.withDetail("database", "answers but refuses writes");
        }
        if (holder != null) {
            Health.Builder unused = builder.withDetail("workersHeldBy", holder);
        }
    }
}
