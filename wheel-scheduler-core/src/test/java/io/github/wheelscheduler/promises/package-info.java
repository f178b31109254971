/** What the README promises to users, measured on real threads and the real clock. */
package io.github.wheelscheduler.promises;
