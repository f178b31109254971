/** Micrometer observations of runs. Needs {@code micrometer-observation}, and nothing else of Micrometer. */
@NullMarked
package io.github.wheelscheduler.spring.observation;

import org.jspecify.annotations.NullMarked;
