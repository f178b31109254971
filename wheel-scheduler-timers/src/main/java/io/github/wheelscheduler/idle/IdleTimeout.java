package io.github.wheelscheduler.idle;

/**
 * The timeout of one key. It is open until it has expired or been closed, once, and for ever then.
 *
 * <p>All methods may be called from any thread, handlers included. They never wait and allocate nothing.
 */
public interface IdleTimeout {

    /**
     * Reports that the key is in use. Reads the clock once and moves one word.
     *
     * @return true if that was in time: the timeout does not expire before a full idle period from now. False if it has
     *     expired or been closed, and from then on always
     */
    boolean touch();

    /**
     * Stops the time, for as long as the key is in use, such as a connection that is borrowed. It may be touched
     * meanwhile, which does not end the pause.
     *
     * @return whether it is paused by this call; false if it was paused already, or is not open
     */
    boolean pause();

    /**
     * Ends the pause. A full idle period begins.
     *
     * @return whether it is not paused any more by this call; false if it was not, or is not open
     */
    boolean resume();

    /** Ends the timeout, so that it never expires; false if it has expired or been closed already. */
    boolean close();

    /** Returns whether it has neither expired nor been closed. */
    boolean isOpen();
}
