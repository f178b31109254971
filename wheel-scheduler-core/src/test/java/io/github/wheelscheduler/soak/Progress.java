package io.github.wheelscheduler.soak;

/** Lines for the process that waits for this one, which sees by them that it is slow and does not hang. */
final class Progress {

    private Progress() {}

    /** Prints a line, if there is memory for it. */
    static void print(String step) {
        try {
            System.out.println(step);
        } catch (OutOfMemoryError ex) {
            // The next one is seen, too.
        }
    }
}
