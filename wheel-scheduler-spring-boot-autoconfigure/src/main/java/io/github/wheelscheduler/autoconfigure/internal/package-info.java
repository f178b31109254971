/** The choice of a database for what is kept in one. Types for this project only. */
@NullMarked
package io.github.wheelscheduler.autoconfigure.internal;

import org.jspecify.annotations.NullMarked;
