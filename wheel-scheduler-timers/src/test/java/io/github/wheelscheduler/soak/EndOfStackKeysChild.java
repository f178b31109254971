package io.github.wheelscheduler.soak;

import static io.github.wheelscheduler.soak.NearTheEndOfTheStack.CALLS;
import static io.github.wheelscheduler.soak.NearTheEndOfTheStack.require;
import static io.github.wheelscheduler.soak.NearTheEndOfTheStack.requireEach;
import static io.github.wheelscheduler.testing.Patience.awaitThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sets, moves and removes keys, and opens and closes idle timeouts, from places near the end of a stack. What has
 * failed must have had no effect, and what has not must have had all of it. Argument: how many rounds.
 */
final class EndOfStackKeysChild {

    private static final Duration LATER = Duration.ofHours(1);
    private static final Duration EARLIER = Duration.ofMinutes(20);

    private final NearTheEndOfTheStack stack = new NearTheEndOfTheStack();
    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private final KeyedTimers<Integer, String> keys = KeyedTimers.<Integer, String>builder(executor, (key, value) -> {})
            .maxSize(CALLS)
            .build();

    private final IdleTimeouts<Integer> idle =
            IdleTimeouts.<Integer>builder(executor, key -> {}).maxSize(CALLS).build();

    private EndOfStackKeysChild() {}

    public static void main(String[] args) throws Exception {
        EndOfStackKeysChild child = new EndOfStackKeysChild();
        int rounds = Integer.parseInt(args[0]);
        for (int round = 0; round < rounds; round++) {
            child.stack.begin(round);
            child.checkKeys();
            child.checkIdleTimeouts();
        }
        child.keys.close();
        child.idle.close();
        child.executor.shutdown();
        require(child.executor.awaitTermination(20, TimeUnit.SECONDS), "it must terminate");
        System.out.println("> " + child.stack.failures() + " calls failed for want of stack");
        System.exit(child.stack.failures() == 0 ? 2 : 0);
    }

    private void checkKeys() throws InterruptedException {
        setAll();
        stack.call(key -> keys.move(key, EARLIER));
        requireEach(key -> isEarlier(key) != stack.isRefused(key), "a key must be moved unless that has failed");
        setAll();
        stack.call(key -> keys.set(key, "other", EARLIER));
        requireEach(key -> isEarlier(key) != stack.isRefused(key), "a key must be set unless that has failed");
        awaitThat(() -> executor.pendingCount() == CALLS);
        stack.call(keys::remove);
        requireEach(key -> keys.isPending(key) == stack.isRefused(key), "a key must be removed unless that has failed");
        requireEach(key -> keys.remove(key) == null || stack.isRefused(key), "no key must be left");
        awaitThat(() -> executor.pendingCount() == 0);
        // As many as there are places for, so that none is lost.
        setAll();
        requireEach(key -> keys.remove(key) != null, "each key must be set");
    }

    private void checkIdleTimeouts() throws InterruptedException {
        @Nullable IdleTimeout[] timeouts = new IdleTimeout[CALLS];
        stack.call(key -> timeouts[key] = idle.register(key, LATER));
        requireEach(key -> (timeouts[key] == null) == stack.isRefused(key), "a key must be registered or fail");
        int open = CALLS - stack.refusedCalls();
        require(idle.size() == open, "what has failed must not be open");
        awaitThat(() -> executor.pendingCount() == open);
        stack.call(key -> {
            IdleTimeout timeout = timeouts[key];
            boolean ignored = timeout != null && timeout.close();
        });
        requireEach(
                key -> timeouts[key] == null || timeouts[key].isOpen() == stack.isRefused(key),
                "a timeout must be closed unless that has failed");
        long left = Arrays.stream(timeouts)
                .filter(timeout -> timeout != null && timeout.isOpen())
                .count();
        require(idle.size() == left, "what has been closed must not be counted");
        awaitThat(() -> executor.pendingCount() == left);
        for (IdleTimeout timeout : timeouts) {
            boolean ignored = timeout != null && timeout.close();
        }
        awaitThat(() -> executor.pendingCount() == 0);
        // As many as there are places for, so that none is lost.
        for (int key = 0; key < CALLS; key++) {
            timeouts[key] = idle.register(key, LATER);
        }
        requireEach(key -> timeouts[key] != null && timeouts[key].close(), "each timeout must be open");
        awaitThat(() -> executor.pendingCount() == 0);
    }

    private void setAll() {
        for (int key = 0; key < CALLS; key++) {
            String ignored = keys.set(key, "value", LATER);
        }
    }

    private boolean isEarlier(int key) {
        Duration remaining = keys.remaining(key);
        return remaining != null && remaining.compareTo(EARLIER) <= 0;
    }
}
