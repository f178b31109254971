package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.payload.UnreadablePayloadException;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares payloads in rows of one-time tasks, for tests. Any thread. */
public final class TaskPayloads {

    private final DurableNode node;

    private TaskPayloads(DurableNode node) {
        this.node = node;
    }

    public static TaskPayloads of(OneTimeTasks tasks) {
        return new TaskPayloads(tasks.node);
    }

    /** Whether a task has that payload: as it is written, or as its handler, which may be on another node, reads it. */
    public boolean isSame(String handler, String id, @Nullable Object payload) {
        StoredPayload stored = node.database.tables().tasks().payload(handler, id);
        if (stored == null) {
            return false;
        }
        Handler<?> known = node.context.handlers().find(handler);
        return Arrays.equals(stored.data, node.context.write(handler, payload))
                || (known != null
                        && Objects.equals(
                                node.context.payloads().read(stored.data, stored.format, known.payloadType()),
                                payload));
    }

    /** Returns the payload of a task in words: what Jackson reads without a type, or why it reads nothing. */
    public String describe(String handler, String id) {
        StoredPayload stored = node.database.tables().tasks().payload(handler, id);
        try {
            return stored == null
                    ? "gone"
                    : String.valueOf(node.context.payloads().read(stored.data, stored.format, Object.class));
        } catch (UnreadablePayloadException ex) {
            return String.valueOf(ex.getMessage());
        }
    }

    /**
     * The payload in a row.
     *
     * @param format as the column has it
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares rows
    record StoredPayload(byte[] data, @Nullable String format) {}
}
