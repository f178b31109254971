package io.github.wheelscheduler.durable.internal.payload;

import io.github.wheelscheduler.durable.PayloadFormat;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON. The handler says what class they are, never what is read.
 *
 * <p>A payload is {@code 0x01, name of its format, 0x02, JSON}. The mark is in the bytes and not in the column beside
 * them, as nodes of layout 1 overwrite and move the bytes alone. No JSON begins with it, so that such a node cannot
 * take the payload for one of its own. Without a mark, the column {@code format} counts; without that, it is one that a
 * node of layout 1 or another program has written, by the JSON settings of the application.
 */
public final class Payloads {

    /** Instead of null, which no column says anything about. */
    private static final byte[] NOTHING = {};

    private static final int MOST_BYTES = 1 << 24;
    private static final byte MARK = 1;
    private static final byte MARK_END = 2;
    private static final int LONGEST_MARK = 52;

    private final JsonMapper unmarked;
    private final Map<String, JsonMapper> byName = new TreeMap<>();
    private final byte[] mark;
    private final JsonMapper writer;

    /**
     * Creates those of a node.
     *
     * @param unmarked reads what has no format
     * @param formats the first writes, and all are read; if there is none, what is written has no format
     * @throws IllegalArgumentException if two have one name
     */
    public Payloads(JsonMapper unmarked, List<PayloadFormat> formats) {
        this.unmarked = unmarked;
        for (PayloadFormat format : formats) {
            if (byName.put(format.name(), format.mapper()) != null) {
                throw new IllegalArgumentException(
                        "Formats of payloads must have names of their own, there are two '" + format.name() + "'");
            }
        }
        this.mark = formats.isEmpty() ? NOTHING : markOf(formats.get(0).name());
        this.writer = formats.isEmpty() ? unmarked : formats.get(0).mapper();
    }

    private static byte[] markOf(String format) {
        byte[] name = format.getBytes(StandardCharsets.UTF_8);
        byte[] mark = new byte[name.length + 2];
        mark[0] = MARK;
        System.arraycopy(name, 0, mark, 1, name.length);
        mark[mark.length - 1] = MARK_END;
        return mark;
    }

    /**
     * Writes a payload.
     *
     * @param type the type that it is written as and is going to be read as; null if it is not known here
     * @throws IllegalArgumentException if it cannot be written, or is not the same when it is read again
     */
    public byte[] write(@Nullable Object payload, @Nullable Type type) {
        if (payload == null) {
            return NOTHING;
        }
        JavaType read = type == null ? null : writer.constructType(type);
        ObjectWriter asRead = read == null ? writer.writer() : writer.writerFor(read);
        byte[] json;
        try {
            json = asRead.writeValueAsBytes(payload);
        } catch (JacksonException ex) {
            throw new IllegalArgumentException(
                    "payload must be something that can be written as "
                            + (type == null ? "JSON" : type.getTypeName() + ", as its handler reads it")
                            + ", was a " + payload.getClass().getName() + ": "
                            + UnreadablePayloadException.reasonOf(ex),
                    ex);
        }
        if (json.length > MOST_BYTES) {
            throw new IllegalArgumentException("payload must be at most 16 MiB as JSON, was " + json.length + " bytes");
        }
        if (read != null) {
            requireSame(json, read, asRead, payload);
        }
        byte[] marked = Arrays.copyOf(mark, mark.length + json.length);
        System.arraycopy(json, 0, marked, mark.length, json.length);
        return marked;
    }

    /** A loss is noticed when the task is scheduled, and not when it runs. */
    private void requireSame(byte[] json, JavaType type, ObjectWriter asRead, Object payload) {
        String difference;
        try {
            byte[] whole = isSubclass(payload, type) ? writer.writeValueAsBytes(payload) : json;
            Object read = writer.readValue(json, type);
            byte[] again = asRead.writeValueAsBytes(read);
            if (Arrays.equals(whole, again)) {
                return;
            }
            ObjectReader trees = writer.reader()
                    .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
            difference = JsonDifference.between(trees.readTree(whole), trees.readTree(again));
        } catch (JacksonException ex) {
            throw new IllegalArgumentException(
                    "payload must be something that its handler can read as " + type.toCanonical() + ", was a "
                            + payload.getClass().getName() + ": " + UnreadablePayloadException.reasonOf(ex),
                    ex);
        }
        if (difference != null) {
            throw new IllegalArgumentException(
                    "payload must be the same when its handler has read it as " + type.toCanonical() + ", was a "
                            + payload.getClass().getName() + " that differs at " + difference);
        }
    }

    /** Whether Jackson writes the payload without the properties that its class has beside those of the type. */
    private static boolean isSubclass(Object payload, JavaType type) {
        return !type.isAbstract() && !type.isPrimitive() && payload.getClass() != type.getRawClass();
    }

    /**
     * A payload as stored.
     *
     * @param format the name of its format; null if nothing says it
     * @param start where its JSON begins
     */
    public record Stored(@Nullable String format, int start) {

        /**
         * Returns how bytes are stored.
         *
         * @param column the format as the row has it beside the payload; null for none
         */
        public static Stored of(byte[] payload, @Nullable String column) {
            if (payload.length == 0 || payload[0] != MARK) {
                return new Stored(column, 0);
            }
            int most = Math.min(payload.length, LONGEST_MARK);
            int end = 0;
            while (end < most && payload[end] != MARK_END) {
                end++;
            }
            // No name of a format has this one: what has no end is no mark of ours.
            return new Stored(end == most ? "none" : new String(payload, 1, end - 1, StandardCharsets.UTF_8), end + 1);
        }
    }

    /**
     * Reads a payload.
     *
     * @param column its format as the row has it beside the payload; null for none
     * @throws UnreadablePayloadException if it is not of that type, or of a format that this node does not have
     */
    public @Nullable Object read(byte[] payload, @Nullable String column, Type type) {
        if (payload.length == 0) {
            return null;
        }
        Stored stored = Stored.of(payload, column);
        int start = stored.start;
        String format = stored.format;
        JsonMapper mapper = format == null ? unmarked : byName.get(format);
        if (mapper == null) {
            throw new UnreadablePayloadException(
                    "payload must be in a format of this node, which are " + byName.keySet() + ", was in " + format);
        }
        try {
            return mapper.readValue(payload, start, payload.length - start, mapper.constructType(type));
        } catch (JacksonException ex) {
            throw new UnreadablePayloadException(
                    "payload cannot be read as " + type.getTypeName() + ": " + UnreadablePayloadException.reasonOf(ex));
        }
    }
}
