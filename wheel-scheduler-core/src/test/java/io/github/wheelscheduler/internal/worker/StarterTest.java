package io.github.wheelscheduler.internal.worker;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The thread that starts workers: there once, asleep until it is asked for something, and its end is told. */
class StarterTest {

    private final List<Thread> made = new CopyOnWriteArrayList<>();
    private final AtomicBoolean failing = new AtomicBoolean();
    private final AtomicInteger failuresOfTheEnd = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final Starter starter = new Starter(this::make, () -> {
        if (failuresOfTheEnd.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("on purpose");
        }
        ended.incrementAndGet();
    });

    private Thread make(Runnable task) {
        if (failing.get()) {
            throw new OutOfMemoryError("on purpose");
        }
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        made.add(thread);
        return thread;
    }

    @Test
    void thereIsOneThreadWhichSleepsAndEndsOnce() {
        starter.start();
        starter.start();
        assertThat(made).hasSize(1);
        assertThat(starter.hasEnded()).isFalse();
        awaitThat(() -> made.get(0).getState() == Thread.State.WAITING);
        // Nobody has reason to, and it stays asleep.
        made.get(0).interrupt();
        awaitThat(() -> !made.get(0).isInterrupted() && made.get(0).getState() == Thread.State.WAITING);
        failuresOfTheEnd.set(3);
        starter.stop();
        awaitThat(() -> ended.get() > 0 && !made.get(0).isAlive());
        assertThat(ended).hasValue(1);
        assertThat(starter.hasEnded()).isTrue();
        starter.start();
        assertThat(made).hasSize(1);
    }

    @Test
    void threadThatCannotBeMadeIsToldAndCanBeTriedAgain() {
        failing.set(true);
        assertThatThrownBy(starter::start).isInstanceOf(OutOfMemoryError.class).hasMessage("on purpose");
        assertThat(starter.hasEnded()).isTrue();
        failing.set(false);
        starter.start();
        assertThat(starter.hasEnded()).isFalse();
        starter.stop();
        awaitThat(() -> ended.get() == 1);
    }
}
