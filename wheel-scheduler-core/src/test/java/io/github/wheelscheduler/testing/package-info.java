/** Fixtures that the tests of several packages share. */
@NullMarked
package io.github.wheelscheduler.testing;

import org.jspecify.annotations.NullMarked;
