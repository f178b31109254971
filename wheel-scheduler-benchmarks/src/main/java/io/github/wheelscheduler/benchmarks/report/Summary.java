package io.github.wheelscheduler.benchmarks.report;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Results, put together over JVMs. */
public final class Summary {

    private record Key(String java, String figure, String variant, String contender) {}

    private final Map<Key, Map<String, List<Double>>> numbers = new LinkedHashMap<>();
    private final Map<Key, List<String>> failures = new LinkedHashMap<>();
    private final Set<String> javas = new LinkedHashSet<>();

    public Summary(List<Result> results) {
        for (Result result : results) {
            if (!result.text("figure").isEmpty()) {
                add(result);
            }
        }
    }

    private void add(Result result) {
        Key key = new Key(result.text("java"), result.text("figure"), result.text("variant"), result.text("contender"));
        javas.add(key.java);
        if (!result.text("failure").isEmpty()) {
            failures.computeIfAbsent(key, absent -> new ArrayList<>()).add(result.text("failure"));
            return;
        }
        Map<String, List<Double>> byMetric = numbers.computeIfAbsent(key, absent -> new LinkedHashMap<>());
        result.numbers()
                .forEach((metric, value) -> byMetric.computeIfAbsent(metric, absent -> new ArrayList<>())
                        .add(value));
    }

    /** Returns the feature versions of the JDKs, in the order in which they were measured. */
    public List<String> javas() {
        return List.copyOf(javas);
    }

    /** Returns the usual variants of a figure, and then others that were measured, as with more callers. */
    public List<String> variants(Figure figure) {
        Set<String> variants = new LinkedHashSet<>(figure.variants());
        Stream.concat(numbers.keySet().stream(), failures.keySet().stream())
                .filter(key -> key.figure.equals(figure.name()))
                .forEach(key -> variants.add(key.variant));
        return List.copyOf(variants);
    }

    /** Whether there is a result or a failure of this variant. */
    public boolean has(String java, Figure figure, String variant) {
        return figure.contenders(variant).stream().anyMatch(contender -> {
            Key key = new Key(java, figure.name(), variant, contender);
            return numbers.containsKey(key) || failures.containsKey(key);
        });
    }

    /** Returns a metric's spread, or null if it was not measured. */
    public @Nullable Spread spread(String java, Figure figure, String variant, String contender, String metric) {
        List<Double> found = numbers.getOrDefault(new Key(java, figure.name(), variant, contender), Map.of())
                .getOrDefault(metric, List.of());
        return found.isEmpty() ? null : Spread.of(found);
    }

    /** Returns from how many JVMs there are results. */
    public int jvms(String java, Figure figure, String variant, String contender) {
        return numbers.getOrDefault(new Key(java, figure.name(), variant, contender), Map.of()).values().stream()
                .mapToInt(List::size)
                .max()
                .orElse(0);
    }

    /** Returns the messages of JVMs that gave no result. */
    public List<String> failures(String java, Figure figure, String variant, String contender) {
        return failures.getOrDefault(new Key(java, figure.name(), variant, contender), List.of());
    }
}
