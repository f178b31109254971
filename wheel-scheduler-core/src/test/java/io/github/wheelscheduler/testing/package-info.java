/** What several tests share. */
package io.github.wheelscheduler.testing;
