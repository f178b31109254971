/** A history of runs in a database: which tasks ran, which did not, and who changed what. */
@NullMarked
package io.github.wheelscheduler.history;

import org.jspecify.annotations.NullMarked;
