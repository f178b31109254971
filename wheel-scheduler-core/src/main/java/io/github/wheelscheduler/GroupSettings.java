package io.github.wheelscheduler;

/**
 * What makes an executor a group of another one; valid by construction.
 *
 * @param name the name that is unique among the groups of an executor
 * @param queueCapacity how many runs may wait in the queue while as many go on as there may be
 * @param onFull what becomes of a run that is due while the group is full
 * @param standsApart whether neither pause, halt nor shutdown of the executor concern the group; it ends with the executor
 */
record GroupSettings(String name, int queueCapacity, OnFull onFull, boolean standsApart) {}
