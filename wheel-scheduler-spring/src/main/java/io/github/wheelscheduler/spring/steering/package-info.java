/**
 * The steering of tasks and schedulers, to record it: {@link io.github.wheelscheduler.spring.steering.SteeringListener}
 * receives each, and {@link io.github.wheelscheduler.spring.steering.SteeredBy} names who steers by a call in Java.
 */
@NullMarked
package io.github.wheelscheduler.spring.steering;

import org.jspecify.annotations.NullMarked;
