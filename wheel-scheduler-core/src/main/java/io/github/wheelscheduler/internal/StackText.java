package io.github.wheelscheduler.internal;

import java.io.PrintWriter;
import java.io.Writer;

/** Stacks as text, bounded while it is built, as there may be very many, and very long ones. Throws nothing. */
public final class StackText {

    private static final int MOST_CHARACTERS = 16 * 1024;
    private static final int MOST_CHARACTERS_OF_A_LOG = 128 * 1024;

    private StackText() {}

    /**
     * Returns the start of a text, or all of it if it is not longer; between two characters, of which each may be a
     * pair.
     */
    public static String start(String text, int mostCharacters) {
        return text.length() > mostCharacters ? text.substring(0, end(text, mostCharacters)) : text;
    }

    /** Half of a surrogate pair is no character, which an encoder may reject. */
    private static int end(CharSequence text, int length) {
        return length > 0 && Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
    }

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

    /** Returns the stack trace that Java prints, with its causes; as far as it gets, if the user's code in it fails. */
    public static String of(Throwable thrown) {
        return of(thrown, MOST_CHARACTERS);
    }

    /**
     * The same with a bound of the caller's. If nothing can be printed, it is the name of the class, with the frames if
     * there is memory for them.
     *
     * @param mostCharacters at least as many as the longest name of a class
     */
    public static String of(Throwable thrown, int mostCharacters) {
        String name = thrown.getClass().getName();
        try {
            Bounded text = new Bounded(mostCharacters);
            boolean ignored = isPrinted(thrown, text);
            return text.isEmpty() ? nameAndFrames(thrown, name, mostCharacters) : text.toString();
        } catch (Throwable ex) {
            // There is no memory for more.
            return name;
        }
    }

    private static String nameAndFrames(Throwable thrown, String name, int mostCharacters) {
        try {
            return start(name + "\n" + of(thrown.getStackTrace()), mostCharacters);
        } catch (Throwable ex) {
            return name;
        }
    }

    /** Returns whether a log can print an exception: its text does not fail and is not endless. */
    public static boolean isPrintable(Throwable thrown) {
        try {
            return isPrinted(thrown, new Bounded(MOST_CHARACTERS_OF_A_LOG));
        } catch (Throwable ex) {
            return false;
        }
    }

    /** Returns whether all has been printed. */
    private static boolean isPrinted(Throwable thrown, Bounded text) {
        try {
            thrown.printStackTrace(new PrintWriter(text));
            return true;
        } catch (Throwable ex) {
            // Also if enough has been printed, or there is no memory for more.
            return false;
        }
    }

    /** Fails when it is full, which ends its writer. */
    private static final class Bounded extends Writer {

        private final StringBuilder text = new StringBuilder();
        private final int mostCharacters;

        Bounded(int mostCharacters) {
            this.mostCharacters = mostCharacters;
        }

        boolean isEmpty() {
            return text.isEmpty();
        }

        @Override
        public void write(char[] characters, int from, int length) {
            int room = room();
            text.append(characters, from, Math.min(length, room));
            requireRoom(length, room);
        }

        /** Without a copy of a text that may be very long. */
        @Override
        public void write(String string, int from, int length) {
            int room = room();
            text.append(string, from, from + Math.min(length, room));
            requireRoom(length, room);
        }

        private int room() {
            return mostCharacters - text.length();
        }

        private void requireRoom(int length, int room) {
            if (length > room) {
                text.setLength(end(text, text.length()));
                throw new IllegalStateException("text must have at most " + mostCharacters + " characters, had more");
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
