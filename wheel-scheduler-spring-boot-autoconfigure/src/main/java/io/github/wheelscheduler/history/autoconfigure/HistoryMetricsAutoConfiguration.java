package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.history.HistoryCounts;
import io.github.wheelscheduler.history.HistoryEngine;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of the history, where there is a {@link MeterRegistry}. */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
        after = HistoryAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, HistoryEngine.class})
@ConditionalOnBean({MeterRegistry.class, HistoryEngine.class})
public final class HistoryMetricsAutoConfiguration {

    private static final String PREFIX = "wheel.scheduler.history.";

    @Bean
    MeterBinder wheelHistoryMeters(HistoryEngine history) {
        return registry -> {
            counter(registry, history, "written", "Rows written into the history", HistoryCounts::written);
            counter(
                    registry,
                    history,
                    "dropped",
                    "Rows of the history lost: the buffer was full, or the database refused them",
                    HistoryCounts::dropped);
            counter(
                    registry,
                    history,
                    "over.budget",
                    "Runs counted without a row, beyond the budget of their task",
                    HistoryCounts::overBudget);
            counter(
                    registry,
                    history,
                    "failed.batches",
                    "Batches of rows that the database did not take",
                    HistoryCounts::failed);
            Gauge.builder(PREFIX + "buffered", history, each -> each.counts().buffered())
                    .description("Rows of the history that wait to be written")
                    .baseUnit("rows")
                    .register(registry);
        };
    }

    private static void counter(
            MeterRegistry registry,
            HistoryEngine history,
            String name,
            String description,
            ToDoubleFunction<HistoryCounts> value) {
        FunctionCounter.builder(PREFIX + name, history, each -> value.applyAsDouble(each.counts()))
                .description(description)
                .register(registry);
    }
}
