package io.github.wheelscheduler.benchmarks.contender;

/** Repetition for contenders that know one-time tasks only: each run schedules the next. */
final class SelfArming extends BenchTask {

    private final Contender contender;
    private final BenchTask task;
    private final long periodNanos;
    private final boolean atRate;

    /** Written by one run, read by the next; the contender orders them. */
    private long deadlineNanos;

    private SelfArming(Contender contender, BenchTask task, long firstDeadlineNanos, long periodNanos, boolean atRate) {
        this.contender = contender;
        this.task = task;
        this.deadlineNanos = firstDeadlineNanos;
        this.periodNanos = periodNanos;
        this.atRate = atRate;
    }

    static void atRate(Contender contender, BenchTask task, long firstDeadlineNanos, long periodNanos) {
        new SelfArming(contender, task, firstDeadlineNanos, periodNanos, true).arm();
    }

    static void withDelay(Contender contender, BenchTask task, long firstDeadlineNanos, long delayNanos) {
        new SelfArming(contender, task, firstDeadlineNanos, delayNanos, false).arm();
    }

    @Override
    public void run() {
        task.run();
        deadlineNanos = (atRate ? deadlineNanos : System.nanoTime()) + periodNanos;
        arm();
    }

    private void arm() {
        Object ignored = contender.scheduleAt(this, deadlineNanos);
    }
}
