package io.github.wheelscheduler.metrics;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.metrics.timers.TimerMetrics;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about meters and the meters that a scheduler and timers have say the same. */
class MetricsPageTest {

    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    /** A metric in a rule: the only names in there that have an underscore, but for PromQL's own functions. */
    private static final Pattern METRIC = Pattern.compile("\\b(?:executor|wheel_scheduler)_[a-z_]+\\b");

    /**
     * A meter as it is written in the table, or as it is in a registry.
     *
     * @param type in lower case
     * @param tags the keys
     */
    private record Row(String name, String type, String unit, Set<String> tags) {}

    @Test
    void tableHasEveryMeterAndNoOther() throws IOException {
        try (MeteredScheduler metered = withEveryMeter(new SimpleMeterRegistry())) {
            Set<Row> actual = metered.registry.getMeters().stream()
                    .map(Meter::getId)
                    .map(MetricsPageTest::rowOf)
                    .collect(Collectors.toSet());
            assertThat(rows().map(MetricsPageTest::rowOf).toList()).containsExactlyInAnyOrderElementsOf(actual);
        }
    }

    @Test
    void tableOfTagsHasEveryValueAndNoOther() throws IOException {
        Set<String> unbounded = Set.of(MeterNames.TAG_NAME, MeterNames.TAG_TASK);
        try (MeteredScheduler metered = withEveryMeter(new SimpleMeterRegistry())) {
            Set<String> actual = metered.registry.getMeters().stream()
                    .flatMap(meter -> meter.getId().getTags().stream())
                    .filter(tag -> !unbounded.contains(tag.getKey()))
                    .map(MetricsPageTest::textOf)
                    .collect(Collectors.toSet());
            assertThat(values()).containsExactlyInAnyOrderElementsOf(actual);
        }
    }

    @Test
    void everyNameIsInTheTable() throws Exception {
        List<String> names = new ArrayList<>();
        for (Field field : MeterNames.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.getName().startsWith("TAG_")) {
                names.add((String) field.get(null));
            }
        }
        assertThat(rows().map(cells -> quotedIn(cells.get(0)).get(0)).toList())
                .containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void ruleOfEveryMeterUsesItByANameThatPrometheusIsGiven() throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (MeteredScheduler metered = withEveryMeter(registry)) {
            ScheduledFuture<?> ignored = metered.scheduler.scheduleAtFixedRate(() -> {}, Duration.ofMillis(1));
            awaitThat(() -> metered.counter(MeterNames.FIRED) > 3);
            Set<String> scraped = namesIn(registry.scrape());
            assertThat(rows()).allSatisfy(cells -> {
                String meter = quotedIn(cells.get(0)).get(0);
                Set<String> used = METRIC.matcher(quotedIn(cells.get(5)).get(0))
                        .results()
                        .map(MatchResult::group)
                        .collect(Collectors.toSet());
                assertThat(scraped).as("names in the rule of %s", meter).containsAll(used);
                assertThat(used)
                        .as("names in the rule of %s", meter)
                        .anyMatch(name -> name.startsWith(meter.replace('.', '_')));
            });
        }
    }

    private static MeteredScheduler withEveryMeter(MeterRegistry registry) {
        MeteredScheduler metered = new MeteredScheduler(
                settings -> settings.setMaxPending(1_000), registry, WheelSchedulerMetrics.DEFAULT_MAX_TASKS);
        for (String kind : List.of("keyed", "idle", "netty")) {
            TimerMetrics.ofTimers(
                            kind,
                            kind,
                            metered,
                            timers -> 1,
                            timers -> 1,
                            timers -> 1,
                            timers -> 1,
                            timers -> Duration.ZERO)
                    .bindTo(registry);
        }
        TimerMetrics.ofLeases("leases", metered, leases -> 1, leases -> 1, leases -> 1, leases -> 1)
                .bindTo(registry);
        ScheduledFuture<?> ignored =
                metered.tasks.schedule("documented", () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
        awaitThat(() -> metered.timer(MeterNames.TASK_RUN, "task", "documented", "outcome", "SUCCESS")
                        .count()
                == 1);
        return metered;
    }

    /** A name that has its unit in it, as in {@code wheel.scheduler.leases.lost}, must have no other. */
    private static Row rowOf(Meter.Id id) {
        String unit = id.getBaseUnit();
        return new Row(
                id.getName(),
                id.getType().name().toLowerCase(Locale.ROOT),
                unit == null ? id.getName().split("\\.", -1)[2] : unit,
                id.getTags().stream().map(Tag::getKey).collect(Collectors.toSet()));
    }

    private static Row rowOf(List<String> cells) {
        return new Row(quotedIn(cells.get(0)).get(0), cells.get(1), cells.get(2), Set.copyOf(quotedIn(cells.get(3))));
    }

    /** Returns the cells of each row of the table of meters. */
    private static Stream<List<String>> rows() throws IOException {
        return cellsOfLinesWith(6).filter(cells -> quotedIn(cells.get(0)).size() == 1);
    }

    private static List<String> values() throws IOException {
        return cellsOfLinesWith(2)
                .filter(cells -> quotedIn(cells.get(0)).size() == 1)
                .flatMap(cells -> quotedIn(cells.get(1)).stream()
                        .map(value -> textOf(Tag.of(quotedIn(cells.get(0)).get(0), value))))
                .toList();
    }

    private static String textOf(Tag tag) {
        return tag.getKey() + "=" + tag.getValue();
    }

    private static Stream<List<String>> cellsOfLinesWith(int count) throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| "))
                .map(line -> List.of(line.substring(2, line.length() - 2).split(" \\| ", -1)))
                .filter(cells -> cells.size() == count);
    }

    private static List<String> quotedIn(String text) {
        return QUOTED.matcher(text).results().map(result -> result.group(1)).toList();
    }

    private static Set<String> namesIn(String scrape) {
        return scrape.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
