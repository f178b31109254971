package io.github.wheelscheduler.durable.internal.payload;

import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Finds where two JSON trees differ. Properties may be in any order, and so may elements of arrays, as JSON does not
 * say which of them was a set. Decimals differ if their scales do.
 */
final class JsonDifference {

    private JsonDifference() {}

    /** Returns the path of the first difference, which begins with {@code $}; null if there is none. */
    static @Nullable String between(JsonNode first, JsonNode second) {
        return between("$", first, second);
    }

    private static @Nullable String between(String path, JsonNode first, JsonNode second) {
        if (first.isObject() && second.isObject()) {
            return betweenObjects(path, first, second);
        }
        if (first.isArray() && second.isArray()) {
            return betweenArrays(path, first, second);
        }
        return textOf(first).equals(textOf(second)) ? null : path;
    }

    private static @Nullable String betweenObjects(String path, JsonNode first, JsonNode second) {
        for (String name : first.propertyNames()) {
            JsonNode other = second.get(name);
            String difference = other == null
                    ? path + "." + name
                    : between(path + "." + name, Objects.requireNonNull(first.get(name)), other);
            if (difference != null) {
                return difference;
            }
        }
        return second.propertyNames().stream()
                .filter(name -> !first.has(name))
                .findFirst()
                .map(name -> path + "." + name)
                .orElse(null);
    }

    private static @Nullable String betweenArrays(String path, JsonNode first, JsonNode second) {
        if (first.size() != second.size()) {
            return path;
        }
        for (int i = 0; i < first.size(); i++) {
            String difference = between(path + "[" + i + "]", first.get(i), second.get(i));
            if (difference != null) {
                return textOf(first).equals(textOf(second)) ? null : difference;
            }
        }
        return null;
    }

    /** Returns a text that is the same for trees which differ in nothing but order. */
    private static String textOf(JsonNode node) {
        if (node.isObject()) {
            return node.properties().stream()
                    .map(property -> property.getKey().length() + property.getKey() + textOf(property.getValue()))
                    .sorted()
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (node.isArray()) {
            return StreamSupport.stream(node.spliterator(), false)
                    .map(JsonDifference::textOf)
                    .sorted()
                    .collect(Collectors.joining(",", "[", "]"));
        }
        return node.isIntegralNumber() || node.isBigDecimal()
                ? node.decimalValue().toString()
                : node.toString();
    }
}
