package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus is given.
 *
 * @param samples in the order of the text
 */
record Scrape(List<Sample> samples) {

    private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    /** A line of it. */
    record Sample(String name, Map<String, String> labels, double value) {

        private static Sample parse(String line) {
            Matcher matcher = SAMPLE.matcher(line);
            assertThat(matcher.matches()).as(line).isTrue();
            Map<String, String> labels = new LinkedHashMap<>();
            if (matcher.group(2) != null) {
                LABEL.matcher(matcher.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
            }
            return new Sample(matcher.group(1), labels, Double.parseDouble(matcher.group(3)));
        }
    }

    static Scrape parse(String text) {
        return new Scrape(text.lines()
                .filter(line -> !line.startsWith("#"))
                .map(Sample::parse)
                .toList());
    }

    /** Returns the samples that have a name and, in pairs of key and value, labels. */
    List<Sample> find(String name, String... labels) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name))
                .filter(sample -> hasAll(sample.labels(), labels))
                .toList();
    }

    private static boolean hasAll(Map<String, String> actual, String... labels) {
        for (int i = 0; i < labels.length; i += 2) {
            if (!labels[i + 1].equals(actual.get(labels[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the value of the one sample of that name and those labels. */
    double value(String name, String... labels) {
        List<Sample> found = find(name, labels);
        assertThat(found).as("%s %s", name, List.of(labels)).hasSize(1);
        return found.get(0).value();
    }
}
