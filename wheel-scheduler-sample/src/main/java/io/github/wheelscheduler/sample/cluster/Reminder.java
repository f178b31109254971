package io.github.wheelscheduler.sample.cluster;

import java.time.Instant;

/**
 * The payload of a task.
 *
 * @param id which task it is
 * @param dueAt when it is to run
 */
record Reminder(String id, Instant dueAt) {}
