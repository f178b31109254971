package io.github.wheelscheduler.sample.english;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sentence of a page, a Javadoc or a message, and its place. Inline code counts as one word, {@link #CODE}. */
record Sentence(String file, int line, String text) {

    static final String CODE = "X";

    private static final Pattern END =
            Pattern.compile("(?<!\\b(?:e\\.g|i\\.e|etc|vs|cf|Mr|St|no))[.!?]+[)\"'*]*(?=\\s|$)");
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}'’.,_%/-]*");

    /** Splits running text. A line of it that was wrapped is one with the next. */
    static List<Sentence> of(String file, int line, String running) {
        List<Sentence> sentences = new ArrayList<>();
        String text = running.replaceAll("\\s+", " ").strip();
        int start = 0;
        Matcher end = END.matcher(text);
        while (end.find()) {
            add(sentences, file, line, text.substring(start, end.end()));
            start = end.end();
        }
        add(sentences, file, line, text.substring(start));
        return sentences;
    }

    private static void add(List<Sentence> sentences, String file, int line, String text) {
        String stripped = text.strip().replaceAll("^[*_~\\s>-]+", "");
        if (!stripped.isEmpty()) {
            sentences.add(new Sentence(file, line, stripped));
        }
    }

    int words() {
        return (int) WORD.matcher(text).results().count();
    }

    @Override
    public String toString() {
        return file + ":" + line + ": " + text;
    }
}
