package io.github.wheelscheduler.sample.english;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PrimitiveTypeTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The expressions that names of a file stand for: by method for its variables and parameters, else by the name alone.
 */
final class NamedTexts extends TreeScanner<@Nullable Void, @Nullable Void> {

    private record Call(String from, MethodInvocationTree tree) {}

    private final Map<String, List<ExpressionTree>> values = new HashMap<>();
    private final Map<String, List<List<? extends VariableTree>>> parameters = new HashMap<>();
    private final List<Call> calls = new ArrayList<>();

    /** The method whose names an expression has. */
    private final Map<ExpressionTree, String> places = new HashMap<>();

    private String method = "";

    @Override
    public @Nullable Void visitMethod(MethodTree tree, @Nullable Void unused) {
        String before = method;
        method = keyOf(tree);
        parameters.computeIfAbsent(method, key -> new ArrayList<>()).add(tree.getParameters());
        Void ignored = super.visitMethod(tree, null);
        method = before;
        return null;
    }

    @Override
    public @Nullable Void visitVariable(VariableTree tree, @Nullable Void unused) {
        if (tree.getInitializer() != null) {
            add(method + "#" + tree.getName(), tree.getInitializer(), method);
        }
        return super.visitVariable(tree, null);
    }

    @Override
    public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Void unused) {
        add(method + "#" + nameOf(tree.getVariable()), tree.getExpression(), method);
        return super.visitAssignment(tree, null);
    }

    @Override
    public @Nullable Void visitReturn(ReturnTree tree, @Nullable Void unused) {
        if (tree.getExpression() != null) {
            add(method + "()", tree.getExpression(), method);
        }
        return super.visitReturn(tree, null);
    }

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree tree, @Nullable Void unused) {
        boolean ignored = calls.add(new Call(method, tree));
        return super.visitMethodInvocation(tree, null);
    }

    void passArguments() {
        for (Call call : calls) {
            // A method with a variable number of arguments has fewer parameters than a call may pass.
            int arity = call.tree.getArguments().size();
            String name = nameOf(call.tree.getMethodSelect()) + "/";
            while (arity > 0 && !parameters.containsKey(name + arity)) {
                arity--;
            }
            String called = name + arity;
            for (List<? extends VariableTree> names : parameters.getOrDefault(called, List.of())) {
                for (int i = 0; i < names.size(); i++) {
                    if (!(names.get(i).getType() instanceof PrimitiveTypeTree)) {
                        add(
                                called + "#" + names.get(i).getName(),
                                call.tree.getArguments().get(i),
                                call.from);
                    }
                }
            }
        }
    }

    private void add(String key, ExpressionTree value, String place) {
        values.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
        places.put(value, place);
    }

    static String keyOf(MethodTree tree) {
        return tree.getName() + "/" + tree.getParameters().size();
    }

    static String keyOf(MethodInvocationTree tree) {
        return nameOf(tree.getMethodSelect()) + "/" + tree.getArguments().size();
    }

    /** Returns the constants of the file that are a text, with the name of its first type before theirs. */
    Map<String, String> constantsOf(CompilationUnitTree unit) {
        Map<String, String> constants = new HashMap<>();
        if (!unit.getTypeDecls().isEmpty() && unit.getTypeDecls().get(0) instanceof ClassTree type) {
            values.forEach((key, expressions) -> {
                if (key.matches("#[A-Z][A-Z_]+")
                        && expressions.size() == 1
                        && expressions.get(0) instanceof LiteralTree literal
                        && literal.getValue() instanceof String text) {
                    constants.put(type.getSimpleName() + "." + key.substring(1), text);
                }
            });
        }
        return constants;
    }

    /** Returns the expressions that a name stands for. */
    List<ExpressionTree> of(String key) {
        return values.getOrDefault(key, List.of());
    }

    /** Returns the method whose names an expression has; empty outside of all. */
    String placeOf(ExpressionTree value) {
        return places.getOrDefault(value, "");
    }

    static String nameOf(Tree tree) {
        if (tree instanceof MemberSelectTree select) {
            return select.getIdentifier().toString();
        }
        return tree instanceof IdentifierTree name ? name.getName().toString() : tree.toString();
    }
}
