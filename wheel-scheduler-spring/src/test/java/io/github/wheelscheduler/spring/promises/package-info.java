/** What the README promises to users of Spring, measured on real threads and the real clock. */
package io.github.wheelscheduler.spring.promises;
