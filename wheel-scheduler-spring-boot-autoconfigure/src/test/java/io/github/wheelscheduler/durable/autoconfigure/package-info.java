@NullMarked
package io.github.wheelscheduler.durable.autoconfigure;

import org.jspecify.annotations.NullMarked;
