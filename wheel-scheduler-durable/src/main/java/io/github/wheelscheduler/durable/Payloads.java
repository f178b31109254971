package io.github.wheelscheduler.durable;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads as JSON. What class they are is said by the handler, never by what is read. */
final class Payloads {

    /** Instead of null, which no column says anything about. */
    private static final byte[] NOTHING = {};

    private final JsonMapper mapper;

    Payloads(JsonMapper mapper) {
        this.mapper = mapper;
    }

    byte[] write(@Nullable Object payload) {
        try {
            return payload == null ? NOTHING : mapper.writeValueAsBytes(payload);
        } catch (JacksonException ex) {
            throw new IllegalArgumentException(
                    "payload must be something that can be written as JSON, was a "
                            + payload.getClass().getName(),
                    ex);
        }
    }

    /** @throws UnreadablePayloadException if it is not of that type */
    <T> @Nullable T read(byte[] payload, Class<T> type) {
        if (payload.length == 0) {
            return null;
        }
        try {
            return mapper.readValue(payload, type);
        } catch (JacksonException ex) {
            // Without its message, which quotes what it has read.
            throw new UnreadablePayloadException("payload is no JSON of a " + type.getName() + ": "
                    + ex.getClass().getSimpleName() + " at " + ex.getLocation().offsetDescription());
        }
    }
}
