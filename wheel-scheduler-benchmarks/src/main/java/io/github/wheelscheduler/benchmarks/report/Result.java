package io.github.wheelscheduler.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a file of results: a flat JSON object of texts and numbers.
 *
 * @param texts what it is about
 * @param numbers what was measured
 */
public record Result(Map<String, String> texts, Map<String, Double> numbers) {

    private static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*)\"";
    private static final Pattern MEMBER = Pattern.compile(TEXT + "\\s*:\\s*(?:" + TEXT + "|([-+.0-9eE]+))");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");

    /** Returns an empty one, to be filled. */
    public static Result empty() {
        return new Result(new LinkedHashMap<>(), new LinkedHashMap<>());
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException if it is not an object of this kind
     */
    public static Result parse(String line) {
        String trimmed = line.trim();
        if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) {
            throw new IllegalArgumentException("a result must be a JSON object, was " + line);
        }
        Result result = empty();
        Matcher member = MEMBER.matcher(trimmed);
        while (member.find()) {
            String key = unescape(member.group(1));
            String text = member.group(2);
            if (text != null) {
                result.texts.put(key, unescape(text));
            } else {
                result.numbers.put(key, Double.valueOf(member.group(3)));
            }
        }
        return result;
    }

    /** Returns the text of a key, or an empty one. */
    public String text(String key) {
        return texts.getOrDefault(key, "");
    }

    /** Returns the line. */
    public String toLine() {
        StringBuilder line = new StringBuilder("{");
        texts.forEach((key, value) -> append(line, key).append(quote(value)));
        numbers.forEach((key, value) -> append(line, key).append(String.format(Locale.ROOT, "%.6g", value)));
        return line.append('}').toString();
    }

    private static StringBuilder append(StringBuilder line, String key) {
        if (line.length() > 1) {
            line.append(',');
        }
        return line.append(quote(key)).append(':');
    }

    private static String quote(String text) {
        String oneLine = text.replace('\n', ' ').replace('\r', ' ').replace('\t', ' ');
        return '"' + oneLine.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String unescape(String text) {
        return ESCAPE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(found.group(1)));
    }
}
