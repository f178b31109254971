/** Durable tasks on real databases. */
@NullMarked
package io.github.wheelscheduler.durable.internal;

import org.jspecify.annotations.NullMarked;
