package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.internal.Arguments;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a search goes on: behind a task, in the order in which tasks are found.
 *
 * @param handler of that task; tasks of handlers before it have been found
 * @param dueAt when that is due; null where ids alone give the order, or for the first task of the handler
 * @param id of that task; empty for the first task of the handler
 */
record Place(String handler, @Nullable Instant dueAt, String id) {

    private static final String NONE = "-";

    /** Returns the begin of a handler. */
    static Place atHandler(String handler) {
        return new Place(handler, null, "");
    }

    /** Whether it is before the first task of its handler. */
    boolean isBeginning() {
        return id.isEmpty();
    }

    /** Returns it as a text without meaning for others. */
    String text() {
        return join(List.of(handler, dueAt == null ? NONE : dueAt.toString(), id));
    }

    /**
     * Reads such a text.
     *
     * @throws IllegalArgumentException if it is none
     */
    static @Nullable Place read(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        List<String> parts = split(text, 3);
        return new Place(parts.get(0), instant(parts.get(1), text), parts.get(2));
    }

    static @Nullable Instant instant(String part, String whole) {
        try {
            return part.equals(NONE) ? null : Instant.parse(part);
        } catch (DateTimeException ex) {
            throw unknown(whole, ex);
        }
    }

    static String textOf(@Nullable Instant instant) {
        return instant == null ? NONE : instant.toString();
    }

    static String join(List<String> parts) {
        List<String> encoded = new ArrayList<>();
        parts.forEach(part -> encoded.add(URLEncoder.encode(part, StandardCharsets.UTF_8)));
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(String.join(",", encoded).getBytes(StandardCharsets.UTF_8));
    }

    static List<String> split(String text, int count) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(",", -1);
            if (parts.length == count) {
                List<String> decoded = new ArrayList<>();
                for (String part : parts) {
                    decoded.add(URLDecoder.decode(part, StandardCharsets.UTF_8));
                }
                decoded.forEach(part -> Arguments.requireText("after", part));
                return decoded;
            }
        } catch (IllegalArgumentException ex) {
            throw unknown(text, ex);
        }
        throw unknown(text, null);
    }

    private static IllegalArgumentException unknown(String text, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "after must be the after of the previous answer to the same search, was " + text, cause);
    }
}
