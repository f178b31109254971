package io.github.wheelscheduler.sample.connections;

/** Beats for connections, and closes those that have not answered for too long. */
interface Keeper extends AutoCloseable {

    /** Begins to keep a connection. Its first beat comes after the delay. */
    void keep(Connection connection, long firstBeatNanos);

    @Override
    void close();
}
