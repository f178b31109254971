package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.NodeTable.Has;
import io.github.wheelscheduler.durable.internal.NodeTable.NodeRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The one-time handlers of all nodes, as their rows say.
 *
 * @param texts of the nodes that are not known to be dead, by incarnation; without the ones that say nothing
 * @param words the names in all of them, as {@link Has#word} writes each
 * @param isEvidence whether a name that is not there is one that no node has: some node lives, and each says what it
 *     has
 */
record KnownHandlers(Map<Long, String> texts, Set<String> words, boolean isEvidence) {

    static final KnownHandlers NONE = new KnownHandlers(Map.of(), Set.of(), false);

    /** Whether no node has a handler of that name; false if that is not known. */
    boolean lack(String name) {
        return isEvidence && !words.contains(Has.word(name));
    }

    /**
     * Returns what is known by rows of nodes.
     *
     * @param livesSince nodes that have said so since then do live
     * @param reader reads the texts of nodes, which is done for a text that has become longer
     */
    KnownHandlers learn(List<NodeRow> nodes, Instant livesSince, Function<Collection<Long>, Map<Long, String>> reader) {
        Map<Long, String> next = new HashMap<>();
        List<Long> unread = new ArrayList<>();
        boolean lives = false;
        boolean isWhole = true;
        for (NodeRow node : nodes) {
            if (!node.isDead()) {
                lives |= node.beatAt().isAfter(livesSince);
                isWhole &= node.handlersLength() >= 0;
                String text = texts.get(node.incarnation());
                if (text != null && text.length() == node.handlersLength()) {
                    String ignored = next.put(node.incarnation(), text);
                } else if (node.handlersLength() >= 0) {
                    boolean ignored = unread.add(node.incarnation());
                }
            }
        }
        if (!unread.isEmpty()) {
            next.putAll(reader.apply(unread));
        }
        // A node that has gone meanwhile has left no text.
        boolean isNew = !next.equals(texts);
        return new KnownHandlers(isNew ? next : texts, isNew ? wordsOf(next) : words, lives && isWhole);
    }

    private static Set<String> wordsOf(Map<Long, String> texts) {
        Set<String> words = new HashSet<>();
        // Nodes of one release have one text.
        Set.copyOf(texts.values()).forEach(text -> words.addAll(Has.words(text)));
        return words;
    }
}
