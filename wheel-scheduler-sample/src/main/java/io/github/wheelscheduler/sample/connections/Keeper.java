package io.github.wheelscheduler.sample.connections;

/** Sends heartbeats for connections, and closes a connection that has not answered for too long. */
interface Keeper extends AutoCloseable {

    /** Begins to keep a connection. Its first beat comes after the delay. */
    void keep(Connection connection, long firstBeatNanos);

    @Override
    void close();
}
