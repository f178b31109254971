/** Auto-configuration of the history of runs, its endpoint and its meters. */
@NullMarked
package io.github.wheelscheduler.history.autoconfigure;

import org.jspecify.annotations.NullMarked;
