/**
 * Operations on durable tasks: search, counts, one task in detail, and steering in batches.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal.operator;

import org.jspecify.annotations.NullMarked;
