package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.worker.Workers;

/** Is told what happens to the worker that ends what a full group refuses. */
record RefusalsListener(Runnable whenIdleOrEnded) implements Workers.Listener {

    @Override
    public void wentIdle() {
        whenIdleOrEnded.run();
    }

    @Override
    public void ended() {
        whenIdleOrEnded.run();
    }

    @Override
    public void escaped(Runnable run, Throwable failure) {
        if (run instanceof GroupRefusals.Refused refused) {
            refused.endIfLeft();
        }
    }
}
