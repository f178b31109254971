package io.github.wheelscheduler.sample.english;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Sources as the compiler parses them. */
record SyntaxTrees(Iterable<? extends CompilationUnitTree> units, DocTrees docs) {

    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Directories of generated files, of other projects' files, and of word lists. */
    private static final Set<String> NOT_READ = Set.of("target", "node_modules", "vendor", "api", ".git");

    static SyntaxTrees of(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null,
                    files,
                    problem -> {},
                    List.of("-proc:none"),
                    null,
                    files.getJavaFileObjectsFromPaths(sources));
            DocTrees docs = DocTrees.instance(task);
            return new SyntaxTrees(task.parse(), docs);
        }
    }

    /** Returns the sources of programs, without those of tests. */
    static List<Path> sources() throws IOException {
        return files(".java").stream()
                .filter(source -> source.toString().contains("/src/main/"))
                .toList();
    }

    /** Returns the files of the project whose names end so. */
    static List<Path> files(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> Stream.of(ROOT.relativize(file).toString().split("/"))
                            .noneMatch(NOT_READ::contains))
                    .toList();
        }
    }

    static String nameOf(Path root, CompilationUnitTree unit) {
        Path source = Path.of(unit.getSourceFile().toUri()).toAbsolutePath().normalize();
        return root.relativize(source).toString();
    }
}
