package io.github.wheelscheduler.sample.english;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ErroneousTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.doctree.StartElementTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.doctree.ThrowsTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sentences of sources, by the compiler's syntax trees: Javadoc, and texts of at least four words with values as one
 * word.
 */
final class JavaText extends TreePathScanner<@Nullable Void, @Nullable Void> {

    private static final int FEWEST_WORDS = 4;
    private static final Pattern SQL = Pattern.compile(
            "(?i)^\\W*(select|insert|update|delete|create|alter|drop|with|merge|lock|set|and|or|from|where|order)\\b");
    private static final Set<String> BLOCKS =
            Set.of("p", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "h2", "h3", "dt", "dd");

    private final String file;
    private final CompilationUnitTree unit;
    private final DocTrees trees;
    private final List<Sentence> sentences;

    private JavaText(String file, CompilationUnitTree unit, DocTrees trees, List<Sentence> sentences) {
        this.file = file;
        this.unit = unit;
        this.trees = trees;
        this.sentences = sentences;
    }

    static List<Sentence> of(Path root, List<Path> sources) throws IOException {
        List<Sentence> sentences = new ArrayList<>();
        SyntaxTrees trees = SyntaxTrees.of(sources);
        for (CompilationUnitTree unit : trees.units()) {
            Void ignored = new JavaText(SyntaxTrees.nameOf(root, unit), unit, trees.docs(), sentences)
                    .scan(new TreePath(unit), null);
        }
        return sentences;
    }

    @Override
    public @Nullable Void scan(@Nullable Tree tree, @Nullable Void unused) {
        if (tree != null && !(tree instanceof CompilationUnitTree)) {
            TreePath parent = getCurrentPath();
            DocCommentTree comment = parent == null ? null : trees.getDocCommentTree(new TreePath(parent, tree));
            if (comment != null) {
                addComment(comment, lineOf(tree));
            }
        }
        return super.scan(tree, null);
    }

    private int lineOf(Tree tree) {
        return (int) unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, tree));
    }

    private void addComment(DocCommentTree comment, int line) {
        addDoc(comment.getFullBody(), line);
        for (DocTree tag : comment.getBlockTags()) {
            if (tag instanceof ParamTree param) {
                addDoc(param.getDescription(), line);
            } else if (tag instanceof ReturnTree returned) {
                addDoc(returned.getDescription(), line);
            } else if (tag instanceof ThrowsTree thrown) {
                addDoc(thrown.getDescription(), line);
            }
        }
    }

    private void addDoc(List<? extends DocTree> parts, int line) {
        StringBuilder text = new StringBuilder();
        boolean isCode = false;
        for (DocTree part : parts) {
            if (part instanceof StartElementTree element) {
                String name = element.getName().toString();
                isCode = name.equals("pre");
                if (BLOCKS.contains(name)) {
                    sentences.addAll(Sentence.of(file, line, text.toString()));
                    text.setLength(0);
                }
            } else if (part.getKind() == DocTree.Kind.END_ELEMENT) {
                isCode = false;
            } else if (part instanceof TextTree plain) {
                text.append(isCode ? "" : plain.getBody());
            } else if (part instanceof LinkTree link && !link.getLabel().isEmpty()) {
                link.getLabel().forEach(text::append);
            } else if (part instanceof LinkTree || part instanceof LiteralTree) {
                text.append(Sentence.CODE);
            } else if (!(part instanceof ErroneousTree)) {
                text.append(' ').append(Sentence.CODE).append(' ');
            }
        }
        sentences.addAll(Sentence.of(file, line, text.toString()));
    }

    @Override
    public @Nullable Void visitBinary(BinaryTree tree, @Nullable Void unused) {
        if (tree.getKind() != Kind.PLUS || !isText(tree)) {
            return super.visitBinary(tree, null);
        }
        addMessage(joined(tree), lineOf(tree));
        return null;
    }

    @Override
    public @Nullable Void visitLiteral(com.sun.source.tree.LiteralTree tree, @Nullable Void unused) {
        if (tree.getValue() instanceof String text) {
            addMessage(text, lineOf(tree));
        }
        return null;
    }

    private static boolean isText(ExpressionTree tree) {
        if (tree instanceof ParenthesizedTree inner) {
            return isText(inner.getExpression());
        }
        return tree instanceof BinaryTree sum
                ? isText(sum.getLeftOperand()) || isText(sum.getRightOperand())
                : tree.getKind() == Kind.STRING_LITERAL;
    }

    private static String joined(ExpressionTree tree) {
        if (tree instanceof BinaryTree sum && tree.getKind() == Kind.PLUS) {
            return joined(sum.getLeftOperand()) + joined(sum.getRightOperand());
        }
        return tree instanceof com.sun.source.tree.LiteralTree literal && literal.getValue() instanceof String text
                ? text
                : Sentence.CODE;
    }

    private void addMessage(String text, int line) {
        boolean isMessage = !SQL.matcher(text).find() && !text.contains("{") && text.indexOf(' ') > 0;
        Sentence.of(file, line, text).stream()
                .filter(sentence -> isMessage && sentence.words() >= FEWEST_WORDS)
                .forEach(sentences::add);
    }
}
