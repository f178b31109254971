package io.github.wheelscheduler.durable.internal;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads as JSON. What class they are is said by the handler, never by what is read. */
record Payloads(JsonMapper mapper) {

    /** Instead of null, which no column says anything about. */
    private static final byte[] NOTHING = {};

    private static final int MOST_BYTES = 1 << 24;

    /**
     * Writes a payload.
     *
     * @param type what it is going to be read as, and is written as; null if nobody here knows
     * @throws IllegalArgumentException if it cannot be written, or not read again
     */
    byte[] write(@Nullable Object payload, @Nullable Type type) {
        if (payload == null) {
            return NOTHING;
        }
        byte[] written;
        try {
            written = type == null
                    ? mapper.writeValueAsBytes(payload)
                    : mapper.writerFor(mapper.constructType(type)).writeValueAsBytes(payload);
        } catch (JacksonException ex) {
            throw new IllegalArgumentException(
                    "payload must be something that can be written as "
                            + (type == null ? "JSON" : type.getTypeName() + ", as its handler reads it")
                            + ", was a " + payload.getClass().getName(),
                    ex);
        }
        if (written.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "payload must be at most 16 MiB as JSON, was " + written.length + " bytes");
        }
        if (type != null) {
            try {
                Object ignored = read(written, type);
            } catch (UnreadablePayloadException ex) {
                throw new IllegalArgumentException(
                        "payload must be something that its handler can read as " + type.getTypeName() + ", was a "
                                + payload.getClass().getName(),
                        ex);
            }
        }
        return written;
    }

    /** @throws UnreadablePayloadException if it is not of that type */
    @Nullable
    Object read(byte[] payload, Type type) {
        if (payload.length == 0) {
            return null;
        }
        try {
            return mapper.readValue(payload, mapper.constructType(type));
        } catch (JacksonException ex) {
            // Without its message, which quotes what it has read.
            throw new UnreadablePayloadException("payload is no JSON of " + type.getTypeName() + ": "
                    + ex.getClass().getSimpleName() + " at " + ex.getLocation().offsetDescription());
        }
    }

    /** A row's payload is not what the handler of this node expects. */
    static final class UnreadablePayloadException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnreadablePayloadException(String message) {
            super(message);
        }
    }
}
