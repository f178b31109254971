/** Opens and closes the observations of runs. */
@NullMarked
package io.github.wheelscheduler.internal.spring.observation;

import org.jspecify.annotations.NullMarked;
