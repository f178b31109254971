package io.github.wheelscheduler.sample.english;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The running text of a page: paragraphs, list items and cells of tables. Headings, code and comments are none. */
final class MarkdownText {

    private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern ITEM = Pattern.compile("^\\s*([-*+]|\\d+\\.)\\s+.*");

    private final String file;
    private final List<Sentence> sentences = new ArrayList<>();
    private final StringBuilder block = new StringBuilder();
    private int start;

    private MarkdownText(String file) {
        this.file = file;
    }

    static List<Sentence> of(String file, List<String> lines) {
        MarkdownText text = new MarkdownText(file);
        boolean isCode = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.strip().startsWith("```")) {
                text.end();
                isCode = !isCode;
            } else if (!isCode) {
                text.add(i + 1, line);
            }
        }
        text.end();
        return text.sentences;
    }

    private void add(int number, String line) {
        if (line.isBlank() || line.startsWith("#") || line.startsWith("<")) {
            end();
        } else if (line.startsWith("|")) {
            end();
            for (String cell : line.replace("\\|", " ").split("\\|", -1)) {
                start = number;
                block.append(cell.matches("[-: ]*") ? "" : cell);
                end();
            }
        } else {
            if (ITEM.matcher(line).matches()) {
                end();
            }
            if (block.isEmpty()) {
                start = number;
            }
            block.append(' ').append(line.replaceFirst("^\\s*([-*+>]|\\d+\\.)\\s+", ""));
        }
    }

    private void end() {
        sentences.addAll(Sentence.of(file, start, plain(block.toString())));
        block.setLength(0);
    }

    private static String plain(String text) {
        return LINK.matcher(text.replaceAll("`[^`]*`", Sentence.CODE).replace("**", ""))
                .replaceAll("$1");
    }
}
