package io.github.wheelscheduler.spring.settings;

/** The way in which a task's {@linkplain TaskSettings#jitter() jitter} is chosen. */
public enum JitterKind {
    /** Anew for each run: a rate of a minute with a jitter of 10 s runs at 12:00:03.1, 12:01:08.7, 12:02:00.4. */
    RANDOM,
    /**
     * Constant for a task on a node, by a hash of both. A rate of a minute with a jitter of 10 s runs at 12:00:04.2,
     * 12:01:04.2, 12:02:04.2. Another task, or the same one on another node, runs at other seconds.
     */
    FIXED
}
