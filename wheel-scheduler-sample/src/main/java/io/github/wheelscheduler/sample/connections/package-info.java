/** A demonstration: many connections with heartbeats, each closed when it has been silent for too long. */
@NullMarked
package io.github.wheelscheduler.sample.connections;

import org.jspecify.annotations.NullMarked;
