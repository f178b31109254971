package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/** How many threads there are while nothing has run: as the JDK's own test {@code ThreadRestarts} wants it. */
abstract class FewThreadsContract extends ContractFixture {

    private final CountDownLatch twoThreads = new CountDownLatch(2);

    FewThreadsContract(Subject subject) {
        super(subject);
    }

    private Thread count(Runnable task) {
        twoThreads.countDown();
        return new Thread(task);
    }

    @Test
    void farTaskMakesOneThreadAtMostWhileItIsIdle() throws InterruptedException {
        ScheduledExecutorService counted = newExecutorWithThreadsOf(this::count);
        Future<?> far = counted.schedule(() -> {}, 1, HOURS);
        assertStaysUntouched(twoThreads);
        assertPending(far);
        assertThat(counted.shutdownNow()).hasSize(1);
        assertTerminates(counted);
        assertThat(twoThreads.getCount()).isPositive();
    }

    @Test
    void farTaskKeepsNoOtherFromItsThread() {
        ScheduledExecutorService counted = newExecutorWithThreadsOf(this::count);
        Future<?> far = counted.schedule(() -> {}, 1, HOURS);
        assertThat(result(counted.schedule(() -> "timer", 1, MILLISECONDS))).isEqualTo("timer");
        assertThat(result(counted.submit(() -> "now"))).isEqualTo("now");
        assertPending(far);
    }
}
