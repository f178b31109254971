/** A web application that shows what the wheel does for its scheduled tasks. */
@NullMarked
package io.github.wheelscheduler.sample;

import org.jspecify.annotations.NullMarked;
