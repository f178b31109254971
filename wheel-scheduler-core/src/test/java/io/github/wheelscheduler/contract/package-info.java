/** The contract of {@code ScheduledExecutorService}, as tests that run unchanged on every implementation. */
@NullMarked
package io.github.wheelscheduler.contract;

import org.jspecify.annotations.NullMarked;
