package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.profile.Profiler;
import io.github.wheelscheduler.benchmarks.scale.ScalePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/** The command line. */
public final class Main {

    private static final String USAGE = """
            compare   measures ours and its peers, each in JVMs of its own, and adds to the file of results:
                      --figures A,J --variants 1M --contenders wheel,hwt --callers 1,4 --jvms 5 --java <home>
                      --results <file>.
            report    writes benchmarks.md and its plots from that file.
            profile   writes profiles.md: where processor time and memory of ours go.
            scale     writes scaling.md: measured parts, and a simulation of more processors.
            quick     runs everything once on tiny sizes, and fails when something is broken.
            jmh       passes its arguments on to JMH.
            """;

    private Main() {}

    /** Runs a sub-command; the exit code says whether all went well. */
    public static void main(String[] args) throws Exception {
        System.exit(run(List.of(args)));
    }

    private static int run(List<String> args) throws IOException, RunnerException {
        if (args.isEmpty()) {
            System.err.print(USAGE);
            return 2;
        }
        List<String> rest = args.subList(1, args.size());
        try {
            return switch (args.get(0)) {
                case "compare" -> new Compare(Options.parse(rest)).run(args) ? 0 : 1;
                case "report" -> report(rest);
                case "profile" -> profile(rest);
                case "scale" -> scale(rest);
                case "quick" -> quick();
                case "jmh" -> jmh(rest);
                default -> throw new IllegalArgumentException("unknown command " + args.get(0));
            };
        } catch (IllegalArgumentException ex) {
            System.err.println(ex.getMessage());
            System.err.print(USAGE);
            return 2;
        }
    }

    private static int report(List<String> args) throws IOException {
        Report.write(Options.parse(args));
        return 0;
    }

    private static int profile(List<String> args) throws IOException {
        Path page = Options.parse(args).docs().resolve("profiles.md");
        Files.writeString(page, Profiler.page(Jdk.current().home(), false));
        System.out.println("wrote " + page);
        return 0;
    }

    private static int scale(List<String> args) throws IOException {
        Path page = Options.parse(args).docs().resolve("scaling.md");
        Files.createDirectories(page.getParent());
        Files.writeString(page, ScalePage.write());
        System.out.println("wrote " + page);
        return 0;
    }

    private static int quick() throws RunnerException {
        List<String> broken = Quick.run();
        broken.forEach(what -> System.err.println("broken: " + what));
        return broken.isEmpty() ? 0 : 1;
    }

    private static int jmh(List<String> args) throws IOException {
        org.openjdk.jmh.Main.main(args.toArray(String[]::new));
        return 0;
    }
}
