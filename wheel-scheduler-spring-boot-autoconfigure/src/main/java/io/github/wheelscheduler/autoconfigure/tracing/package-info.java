/** Tells which trace a run that has failed belongs to. */
@NullMarked
package io.github.wheelscheduler.autoconfigure.tracing;

import org.jspecify.annotations.NullMarked;
