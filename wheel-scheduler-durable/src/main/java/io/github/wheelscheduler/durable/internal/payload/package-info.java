/**
 * Payloads of durable tasks as JSON.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.durable.internal.payload;

import org.jspecify.annotations.NullMarked;
