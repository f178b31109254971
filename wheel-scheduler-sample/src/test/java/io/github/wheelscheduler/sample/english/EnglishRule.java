package io.github.wheelscheduler.sample.english;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a sentence must not do. */
enum EnglishRule {

    /**
     * A relative clause as the subject: {@code What it costs is said below}. Questions, instructions and fragments
     * pass.
     */
    FREE_RELATIVE {
        @Override
        boolean isBrokenBy(Sentence sentence) {
            String text = sentence.text();
            return RELATIVE.matcher(text).find()
                    && !text.endsWith("?")
                    && !INSTRUCTION.matcher(text).find()
                    && VERB.matcher(text).results().count() > 1;
        }
    },

    /** A prepositional phrase before an inverted verb: {@code Of its runs is kept the last}. */
    INVERSION {
        @Override
        boolean isBrokenBy(Sentence sentence) {
            return INVERTED.matcher(sentence.text()).find();
        }
    },

    /** A phrase that no reader of this field would search for. */
    COINED {
        @Override
        boolean isBrokenBy(Sentence sentence) {
            return PHRASES.matcher(sentence.text()).find();
        }
    },

    /** More words than a reader keeps in mind. */
    LONG {
        @Override
        boolean isBrokenBy(Sentence sentence) {
            return sentence.words() > MOST_WORDS;
        }
    };

    static final int MOST_WORDS = 35;

    private static final Pattern RELATIVE = Pattern.compile("^(Wh(at|o)(ever)?|How)\\b");
    private static final Pattern INSTRUCTION = Pattern.compile("^(How|What) (to|not to)\\b");
    private static final Pattern INVERTED =
            Pattern.compile("^Of [^,:;]{1,80}? (is|are|was|were|has|have) (kept|told|said|held|shown|the|an?|no)\\b");

    /** Verbs of a main or a relative clause: two of them make a sentence of what would be a fragment. */
    private static final Pattern VERB =
            Pattern.compile("\\b(is|are|was|were|has|have|had|does|do|can|may|must|will|would|"
                    + "asks?|begins?|belongs?|calls?|comes?|costs?|counts?|decides?|depends?|ends?|fails?|"
                    + "follows?|gets?|gives?|goes|go|"
                    + "grows?|holds?|keeps?|knows?|leaves?|lies|makes?|means?|needs?|reads?|runs?|says?|sees|"
                    + "shows?|starts?|stays?|"
                    + "stops?|takes?|tells?|throws|waits?|wants?|works?|writes)\\b");

    private static final Pattern PHRASES = Stream.of(
                    "(to|can|could|may|cannot|is not to) be had",
                    "as far as (it|they) could be had",
                    "(is|are|was|were|been|be) (told|heard) (of|so|that|how|what|when)",
                    "not heard of",
                    "heard of last",
                    "(is|are|be|been|was|were) made up",
                    "makes? up (what|for missed|missed|beats|runs)",
                    "(is|are|be|been|was|were) let go",
                    "lets? go of",
                    "(is|are|be|been|was|were) put off",
                    "(is|are|be|been|was|were) held up",
                    "holds? up no",
                    "as (late|long|often|much) as it likes",
                    "as long as (it|they) (likes?|wants?)",
                    "be they",
                    "be it (that|this)",
                    "for want of",
                    "of its own accord",
                    "nothing of it is there",
                    "there is unless",
                    "on paper",
                    "books (are|of)",
                    "(a|come to a|comes to a|came to a) good end",
                    "a matter of course",
                    "sets? aside",
                    "has a say",
                    "in vain",
                    "in hand",
                    "nobody (knows|asks|looks|takes|is told)",
                    "by then",
                    "at the same moment",
                    "so (many|long) (callers|rows|nanoseconds|milliseconds|threads|timers)",
                    "foreign (code|call|thing)",
                    "knows? nothing of",
                    "does no harm",
                    "harms? (no|nothing)",
                    "the other way round",
                    "again and again",
                    "once in a while",
                    "looks? (after|again) (workers|itself)")
            .collect(Collectors.collectingAndThen(
                    Collectors.joining("|"), all -> Pattern.compile("\\b(" + all + ")\\b", Pattern.CASE_INSENSITIVE)));

    abstract boolean isBrokenBy(Sentence sentence);

    /** Returns the rules that a sentence breaks. */
    static List<EnglishRule> brokenBy(Sentence sentence) {
        return Stream.of(values()).filter(rule -> rule.isBrokenBy(sentence)).toList();
    }
}
