package io.github.wheelscheduler.benchmarks.contender;

/** No scheduler at all: what the JVM costs by itself. It forgets what it is given. */
final class NoContender implements Contender {

    @Override
    public Object schedule(BenchTask task, long delayNanos) {
        return task;
    }

    @Override
    public void cancel(Object handle) {}

    @Override
    public void repeatAtRate(BenchTask task, long firstDeadlineNanos, long periodNanos) {
        throw new UnsupportedOperationException("the contender that measures a bare JVM has no repeating tasks");
    }

    @Override
    public void repeatWithDelay(BenchTask task, long firstDeadlineNanos, long delayNanos) {
        throw new UnsupportedOperationException("the contender that measures a bare JVM has no repeating tasks");
    }

    @Override
    public long absorb() {
        return 0;
    }

    @Override
    public void close() {}
}
