/**
 * Virtual time for tests of scheduled tasks: it moves when a test says so, and drives the engine that runs in
 * production.
 */
@NullMarked
package io.github.wheelscheduler.test;

import org.jspecify.annotations.NullMarked;
