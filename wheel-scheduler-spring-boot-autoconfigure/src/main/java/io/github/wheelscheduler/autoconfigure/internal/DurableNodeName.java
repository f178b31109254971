package io.github.wheelscheduler.autoconfigure.internal;

/**
 * The name of this node of durable tasks, known before its engine is made: what the engine is given may need the
 * history, which has the same name.
 */
public record DurableNodeName(String name) {}
