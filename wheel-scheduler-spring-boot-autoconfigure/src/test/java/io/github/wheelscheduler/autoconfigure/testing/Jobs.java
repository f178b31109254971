package io.github.wheelscheduler.autoconfigure.testing;

import java.util.concurrent.CountDownLatch;
import org.springframework.scheduling.annotation.Scheduled;

/** Tasks to look at and to steer: some run all the time, the others only if a test triggers them. */
public class Jobs {

    public static final String BEAT = idOf("beat");
    public static final String FAIL = idOf("fail");
    public static final String REST = idOf("rest");
    public static final String PAUSE_AFTER = idOf("pauseAfter");
    public static final String YEARLY = idOf("yearly");
    public static final String HOLD = idOf("hold");

    private final CountDownLatch gate = new CountDownLatch(1);

    /** Returns the id that a method has as a task. */
    public static String idOf(String method) {
        return Jobs.class.getName() + "." + method;
    }

    @Scheduled(fixedRate = 20)
    void beat() {}

    @Scheduled(fixedRate = 20)
    void fail() {
        throw new IllegalStateException("the service does not answer");
    }

    @Scheduled(fixedRate = 3_600_000, initialDelay = 3_600_000)
    void rest() {}

    @Scheduled(fixedDelay = 3_600_000, initialDelay = 3_600_000)
    void pauseAfter() {}

    @Scheduled(cron = "0 0 3 1 1 *")
    void yearly() {}

    /** Does not return before {@link #letGo}. */
    @Scheduled(fixedRate = 3_600_000, initialDelay = 3_600_000)
    void hold() throws InterruptedException {
        gate.await();
    }

    public void letGo() {
        gate.countDown();
    }
}
