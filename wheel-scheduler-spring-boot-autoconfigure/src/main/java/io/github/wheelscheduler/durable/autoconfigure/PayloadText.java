package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.internal.operator.TaskDetails;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the JSON of a payload without what sanitizing functions take out. Their key is the path to a value, such as
 * {@code customer.cards[0].number}; that of a payload without properties is {@code payload}. An object or a list that a
 * function changes is left out as a whole.
 */
final class PayloadText {

    /** So many bytes of a payload are shown at most. */
    static final int MOST_BYTES = 16_384;

    private static final String CUT = "…";
    private static final String WHOLE = "payload";

    private final JsonMapper mapper =
            JsonMapper.builder().disable(StreamWriteFeature.AUTO_CLOSE_CONTENT).build();
    private final Sanitizer sanitizer;

    PayloadText(Iterable<SanitizingFunction> functions) {
        this.sanitizer = new Sanitizer(functions);
    }

    /**
     * The text of a payload.
     *
     * @param isCut whether it ends before the payload does, which is longer than {@link #MOST_BYTES} or no JSON from
     *     there
     */
    record Text(String json, boolean isCut) {}

    /** Returns the text of one. */
    Text of(TaskDetails.Payload payload) {
        StringWriter text = new StringWriter();
        boolean isWhole = false;
        try (JsonParser parser = mapper.createParser(payload.json());
                JsonGenerator generator = mapper.createGenerator(text)) {
            try {
                while (parser.nextToken() != null) {
                    copy(parser, generator);
                }
                isWhole = !payload.isCut();
            } catch (JacksonException ex) {
                // The page shows the part read so far.
                isWhole = false;
            }
            generator.flush();
        }
        return new Text(isWhole ? text.toString() : text + CUT, !isWhole);
    }

    private void copy(JsonParser parser, JsonGenerator generator) {
        JsonToken token = parser.currentToken();
        boolean isContainer = token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY;
        if (!isContainer && !token.isScalarValue()) {
            generator.copyCurrentEventExact(parser);
            return;
        }
        String value = isContainer ? token.asString() : parser.getString();
        String key = keyOf(parser, isContainer);
        @Nullable Object shown = sanitizer.sanitize(new SanitizableData(null, key, value), true);
        if (value.equals(shown)) {
            generator.copyCurrentEventExact(parser);
        } else {
            if (isContainer) {
                parser.skipChildren();
            }
            generator.writeString(String.valueOf(shown));
        }
    }

    /** A container is its own context by the time that it begins. */
    private static String keyOf(JsonParser parser, boolean isContainer) {
        String pointer = (isContainer ? parser.streamReadContext().getParent() : parser.streamReadContext())
                .pathAsPointer()
                .toString();
        StringBuilder key = new StringBuilder();
        for (String part : pointer.split("/", -1)) {
            String name = part.replace("~1", "/").replace("~0", "~");
            boolean isIndex = !name.isEmpty() && name.chars().allMatch(Character::isDigit);
            if (!name.isEmpty()) {
                key.append(isIndex ? "[" + name + "]" : key.isEmpty() ? name : "." + name);
            }
        }
        return key.isEmpty() ? WHOLE : key.toString();
    }
}
