/** What serves the page on which tasks are seen and steered, and keeps pages of other sites from steering. */
@NullMarked
package io.github.wheelscheduler.autoconfigure.dashboard;

import org.jspecify.annotations.NullMarked;
