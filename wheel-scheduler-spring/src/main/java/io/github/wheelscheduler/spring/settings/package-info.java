/**
 * What users set for single tasks, by id, before those are scheduled: settings, where they come from, and the id of each annotated
 * method. Entered from all other rooms; knows none of them.
 */
@NullMarked
package io.github.wheelscheduler.spring.settings;

import org.jspecify.annotations.NullMarked;
