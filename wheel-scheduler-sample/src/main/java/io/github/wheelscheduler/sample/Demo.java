package io.github.wheelscheduler.sample;

import java.io.IOException;

/** Something that the sample can show instead of being the sample. */
public interface Demo {

    /** Says in a line what it is going to show. */
    String introduction();

    /**
     * Plays it, and returns a table.
     *
     * @throws IOException if something that it needs does not start here; the message says what
     */
    String play() throws IOException, InterruptedException;
}
