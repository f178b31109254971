package io.github.wheelscheduler.internal.spring.run;

import java.io.PrintWriter;
import java.io.Writer;

/** Stacks as text, bounded, as there may be very many. */
public final class StackText {

    private static final int MOST_CHARACTERS = 16 * 1024;

    private StackText() {}

    /** Returns a line for each frame. */
    public static String of(StackTraceElement[] frames) {
        StringBuilder text = new StringBuilder();
        for (StackTraceElement frame : frames) {
            String line = (text.isEmpty() ? "\tat " : "\n\tat ") + frame;
            if (text.length() + line.length() > MOST_CHARACTERS) {
                break;
            }
            text.append(line);
        }
        return text.toString();
    }

    /** Returns what Java prints of something that was thrown, with its causes; as far as it gets, if the user's code in it fails. */
    public static String of(Throwable thrown) {
        Bounded text = new Bounded();
        try {
            thrown.printStackTrace(new PrintWriter(text));
        } catch (Throwable ex) {
            // Also if enough has been printed, or there is no memory for more.
        }
        return text.toString();
    }

    /** Fails when it is full, which ends what writes into it. */
    private static final class Bounded extends Writer {

        private final StringBuilder text = new StringBuilder();

        @Override
        public void write(char[] characters, int from, int length) {
            int room = MOST_CHARACTERS - text.length();
            text.append(characters, from, Math.min(length, room));
            if (length > room) {
                throw new IllegalStateException("text must be short enough, was longer than " + MOST_CHARACTERS);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
