package io.github.wheelscheduler.sample.english;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The messages that sources pass to a log or an exception. A value is an {@code X}. Variables, constants, parameters
 * and private methods of the same file are followed, and a choice between two texts yields both messages.
 */
final class LogMessages extends TreeScanner<@Nullable Void, @Nullable Void> {

    private static final String EXCEPTION = "EXCEPTION";

    /** Exceptions that Spring Boot reports with the action to take, their second argument. */
    private static final Set<String> WITH_ACTION = Set.of("UnusableSetupException", "HistoryUnavailableException");

    /** A message with more forms counts as a value: they could not be listed. */
    private static final int MOST_FORMS = 64;

    private static final Map<String, String> LEVELS =
            Map.of("error", "ERROR", "warn", "WARNING", "warnInOneLine", "WARNING", "info", "INFO", "debug", "DEBUG");
    private static final Pattern WORDS = Pattern.compile("[a-z]{2,} [^ ]+ |[^ ]+ [a-z]{2,} ");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\d}|%[sd]");

    private final String module;
    private final NamedTexts scope;
    private final Map<String, String> constants;
    private final Set<Message> messages;
    private final Set<String> following = new HashSet<>();
    private String method = "";

    /** A message and its level; that of an exception is none of a log. */
    record Message(String module, String level, String text) implements Comparable<Message> {

        @Override
        public int compareTo(Message other) {
            return toString().compareTo(other.toString());
        }

        boolean isWarning() {
            return level.equals("WARNING") || level.equals("ERROR");
        }

        @Override
        public String toString() {
            return module + " " + level + " " + text;
        }
    }

    private LogMessages(String module, NamedTexts scope, Map<String, String> constants, Set<Message> messages) {
        this.module = module;
        this.scope = scope;
        this.constants = constants;
        this.messages = messages;
    }

    /** Returns the messages of sources, whose first directory names their module. */
    static Set<Message> of(Path root, List<Path> sources) throws IOException {
        Map<CompilationUnitTree, NamedTexts> scopes = new LinkedHashMap<>();
        Map<String, String> constants = new HashMap<>();
        for (CompilationUnitTree unit : SyntaxTrees.of(sources).units()) {
            NamedTexts scope = new NamedTexts();
            Void unused = scope.scan(unit, null);
            scope.passArguments();
            scopes.put(unit, scope);
            constants.putAll(scope.constantsOf(unit));
        }
        Set<Message> messages = new TreeSet<>();
        scopes.forEach((unit, scope) -> {
            String module = SyntaxTrees.nameOf(root, unit).split("/", 2)[0];
            Void ignored = new LogMessages(module, scope, constants, messages).scan(unit, null);
        });
        return messages;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree tree, @Nullable Void unused) {
        String before = method;
        method = NamedTexts.keyOf(tree);
        Void ignored = super.visitMethod(tree, null);
        method = before;
        return null;
    }

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree tree, @Nullable Void unused) {
        String name = NamedTexts.nameOf(tree.getMethodSelect());
        List<? extends ExpressionTree> arguments = tree.getArguments();
        String level = LEVELS.get(name);
        if (name.equals("log") && arguments.size() > 1 && LEVELS.containsValue(NamedTexts.nameOf(arguments.get(0)))) {
            add(NamedTexts.nameOf(arguments.get(0)), arguments.get(1));
        } else if (level != null && tree.getMethodSelect() instanceof MemberSelectTree select) {
            String log = NamedTexts.nameOf(select.getExpression());
            if (log.equals("ThrownLog")) {
                add(level, arguments.get(1));
            } else if (log.toLowerCase(Locale.ROOT).matches("log(ger)?")) {
                add(level, arguments.get(0));
            }
        }
        if (name.equals("accept") && tree.getMethodSelect() instanceof MemberSelectTree select) {
            addConsumed(NamedTexts.nameOf(select.getExpression()), arguments.get(0));
        }
        return super.visitMethodInvocation(tree, null);
    }

    /** A message for a consumer, which may be {@code logger::warn}. */
    private void addConsumed(String consumer, ExpressionTree argument) {
        for (ExpressionTree value : scope.of(method + "#" + consumer)) {
            if (value instanceof MemberReferenceTree reference
                    && NamedTexts.nameOf(reference.getQualifierExpression()).endsWith("logger")) {
                String level = LEVELS.get(reference.getName().toString());
                if (level != null) {
                    add(level, argument);
                }
            }
        }
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree tree, @Nullable Void unused) {
        String name = NamedTexts.nameOf(tree.getIdentifier());
        List<? extends ExpressionTree> arguments = tree.getArguments();
        if (WITH_ACTION.contains(name) && arguments.size() > 1) {
            Set<String> actions = forms(arguments.get(1), method);
            forms(arguments.get(0), method)
                    .forEach(start -> actions.forEach(action -> add(EXCEPTION, start + ". Action: " + action)));
        } else if (name.endsWith("Exception") || name.endsWith("Error")) {
            arguments.forEach(argument -> add(EXCEPTION, argument));
        } else if (name.equals("FailureLog")) {
            add(NamedTexts.nameOf(arguments.get(0)), arguments.get(1));
        } else if (name.equals("GatheredLine") && arguments.get(0) instanceof MemberReferenceTree wording) {
            String level = arguments.get(1).toString().contains("error") ? "ERROR" : "WARNING";
            for (ExpressionTree line : scope.of(wording.getName() + "/3()")) {
                add(level, line, wording.getName() + "/3");
            }
        }
        return super.visitNewClass(tree, null);
    }

    private void add(String level, ExpressionTree argument) {
        add(level, argument, method);
    }

    private void add(String level, ExpressionTree argument, String place) {
        forms(argument, place).forEach(form -> add(level, form));
    }

    private void add(String level, String form) {
        String text = PLACEHOLDER
                .matcher(form)
                .replaceAll(Sentence.CODE)
                .replaceAll("\\s+", " ")
                .strip();
        if (WORDS.matcher(text + " ").find()) {
            boolean ignored = messages.add(new Message(module, level, text));
        }
    }

    /** Returns the texts that an expression may have. */
    private Set<String> forms(ExpressionTree tree, String place) {
        Set<String> forms = new LinkedHashSet<>();
        if (tree instanceof ParenthesizedTree inner) {
            forms.addAll(forms(inner.getExpression(), place));
        } else if (tree instanceof LiteralTree literal) {
            forms.add(literal.getValue() instanceof String text ? text : Sentence.CODE);
        } else if (tree instanceof BinaryTree sum && sum.getKind() == Kind.PLUS) {
            Set<String> ends = forms(sum.getRightOperand(), place);
            forms(sum.getLeftOperand(), place).forEach(start -> ends.forEach(end -> forms.add(start + end)));
        } else if (tree instanceof ConditionalExpressionTree choice) {
            forms.addAll(forms(choice.getTrueExpression(), place));
            forms.addAll(forms(choice.getFalseExpression(), place));
        } else if (tree instanceof LambdaExpressionTree lambda) {
            forms.addAll(formsOf(lambda.getBody(), place));
        } else if (tree instanceof SwitchExpressionTree choice) {
            forms.addAll(formsOf(choice, place));
        } else if (tree instanceof IdentifierTree variable) {
            forms.addAll(known(place + "#" + variable.getName()));
            forms.addAll(forms.isEmpty() ? known("#" + variable.getName()) : Set.of());
        } else if (tree instanceof MethodInvocationTree call) {
            forms.addAll(formsOf(call, place));
        } else if (tree instanceof MemberSelectTree && constants.containsKey(tree.toString())) {
            forms.add(constants.get(tree.toString()));
        }
        return forms.isEmpty() || forms.size() > MOST_FORMS ? Set.of(Sentence.CODE) : forms;
    }

    /** Texts that end a lambda or a branch of a switch. */
    private Set<String> formsOf(Tree body, String place) {
        Set<String> forms = new LinkedHashSet<>();
        if (body instanceof ExpressionTree result && !(body instanceof SwitchExpressionTree)) {
            forms.addAll(forms(result, place));
        } else if (body instanceof SwitchExpressionTree choice) {
            choice.getCases().forEach(one -> {
                if (one.getBody() instanceof ExpressionTree result) {
                    forms.addAll(forms(result, place));
                }
            });
        } else {
            Void ignored = new TreeScanner<@Nullable Void, @Nullable Void>() {
                @Override
                public @Nullable Void visitReturn(ReturnTree tree, @Nullable Void unused) {
                    forms.addAll(forms(tree.getExpression(), place));
                    return null;
                }
            }.scan(body, null);
        }
        return forms;
    }

    private Set<String> formsOf(MethodInvocationTree call, String place) {
        if (call.getMethodSelect() instanceof IdentifierTree) {
            return known(NamedTexts.keyOf(call) + "()");
        }
        ExpressionTree receiver = ((MemberSelectTree) call.getMethodSelect()).getExpression();
        String name = NamedTexts.nameOf(call.getMethodSelect());
        Set<String> forms = new LinkedHashSet<>();
        if (name.equals("formatted")
                || (name.equals("get") && call.getArguments().isEmpty())) {
            forms.addAll(forms(receiver, place));
        } else if (name.equals("replaceFirst")) {
            forms(call.getArguments().get(1), place).forEach(part -> forms.add(Sentence.CODE + part + Sentence.CODE));
        }
        return forms;
    }

    /** Returns the texts that a name stands for, if one of them is a message or a part of one, or it is a constant. */
    private Set<String> known(String key) {
        Set<String> forms = new LinkedHashSet<>();
        if (following.add(key)) {
            for (ExpressionTree value : scope.of(key)) {
                forms.addAll(forms(value, scope.placeOf(value)));
            }
            boolean ignored = following.remove(key);
        }
        boolean isConstant = key.matches("#[A-Z][A-Z_]+") && forms.size() == 1;
        if (!isConstant && forms.stream().noneMatch(form -> form.indexOf(' ') >= 0)) {
            return Set.of();
        }
        forms.removeIf(form -> form.equals(Sentence.CODE));
        return forms;
    }
}
