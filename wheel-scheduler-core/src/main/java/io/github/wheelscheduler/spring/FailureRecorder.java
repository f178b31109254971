package io.github.wheelscheduler.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ErrorHandler;

/** Keeps what a run has thrown on its way to the error handler. On one thread at a time: that of the run. */
final class FailureRecorder implements ErrorHandler {

    private final ErrorHandler handler;
    private @Nullable Throwable failure;

    FailureRecorder(ErrorHandler handler) {
        this.handler = handler;
    }

    @Override
    public void handleError(Throwable thrown) {
        failure = thrown;
        handler.handleError(thrown);
    }

    /** Says that a run has gone well. */
    void succeeded() {
        if (handler instanceof RunErrorHandler interested) {
            interested.succeeded();
        }
    }

    /** Returns what has been thrown since the last call; null if nothing has. */
    @Nullable
    Throwable take() {
        Throwable taken = failure;
        failure = null;
        return taken;
    }
}
