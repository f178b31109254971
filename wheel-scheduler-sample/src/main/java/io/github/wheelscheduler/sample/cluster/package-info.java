/** A demonstration: processes that share durable tasks, of which one is killed. */
@NullMarked
package io.github.wheelscheduler.sample.cluster;

import org.jspecify.annotations.NullMarked;
