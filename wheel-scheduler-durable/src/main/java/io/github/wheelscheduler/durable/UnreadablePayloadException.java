package io.github.wheelscheduler.durable;

/** A row's payload is not what the handler of this node expects. */
final class UnreadablePayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnreadablePayloadException(String message) {
        super(message);
    }
}
