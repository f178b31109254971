/**
 * Settings of single tasks, by id, before they are scheduled: their values, their sources, and the id of each annotated
 * method. Entered from all other rooms; knows none of them.
 */
@NullMarked
package io.github.wheelscheduler.spring.settings;

import org.jspecify.annotations.NullMarked;
