package io.github.wheelscheduler.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names in a query of Prometheus.
 *
 * @param metrics what is asked for
 * @param matchers of all selectors
 * @param grouping the labels that series are put together by
 */
record PromQuery(Set<String> metrics, List<Matcher> matchers, Set<String> grouping) {

    private static final Pattern SELECTOR = Pattern.compile("(\\w+)\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(?:=~|!=|!~|=)\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on|group_left) ?\\(([^)]*)\\)");
    private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*]|\\boffset \\w+");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])[a-z_]\\w*+(?! ?\\()");
    private static final Set<String> WORDS = Set.of("and", "or", "unless", "sum", "max", "min", "count");

    /** What a selector demands of a label. */
    record Matcher(String metric, String label, String value) {}

    static PromQuery parse(String expression) {
        List<Matcher> matchers = new ArrayList<>();
        for (MatchResult selector : SELECTOR.matcher(expression).results().toList()) {
            MATCHER.matcher(selector.group(2))
                    .results()
                    .map(matcher -> new Matcher(selector.group(1), matcher.group(1), matcher.group(2)))
                    .forEach(matchers::add);
        }
        String unselected = SELECTOR.matcher(expression).replaceAll("$1");
        Set<String> grouping = new TreeSet<>();
        GROUPING.matcher(unselected)
                .results()
                .flatMap(group -> Stream.of(group.group(1).split(", ?")))
                .forEach(grouping::add);
        String ungrouped = GROUPING.matcher(unselected).replaceAll(" ");
        Set<String> metrics = new TreeSet<>();
        NAME.matcher(RANGE.matcher(ungrouped).replaceAll(" "))
                .results()
                .map(MatchResult::group)
                .filter(name -> !WORDS.contains(name))
                .forEach(metrics::add);
        return new PromQuery(metrics, matchers, grouping);
    }
}
