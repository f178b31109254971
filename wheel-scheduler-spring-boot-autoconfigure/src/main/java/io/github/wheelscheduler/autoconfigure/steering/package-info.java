/** Auto-configuration of listeners of steering. */
@NullMarked
package io.github.wheelscheduler.autoconfigure.steering;

import org.jspecify.annotations.NullMarked;
