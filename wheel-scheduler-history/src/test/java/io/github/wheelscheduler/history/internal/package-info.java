/** Tests of how a history is written and read, on three databases. */
package io.github.wheelscheduler.history.internal;
