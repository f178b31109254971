package io.github.wheelscheduler.durable;

/** A row as a node has claimed it: when somebody else touches it, it gets another version. */
record RowKey(String handler, String id, long version) {}
