package io.github.wheelscheduler.benchmarks;

import java.util.List;

/** The command line. */
public final class Main {

    private static final String USAGE = """
            compare   measures ours and its peers, each in JVMs of its own, and adds to the file of results
                      --figures A,J --variants 1M --contenders wheel,hwt --jvms 5 --java <home> --results <file>
            """;

    private Main() {}

    /** Runs a sub-command; the exit code says whether all went well. */
    public static void main(String[] args) throws Exception {
        System.exit(run(List.of(args)));
    }

    private static int run(List<String> args) {
        if (args.isEmpty()) {
            System.err.print(USAGE);
            return 2;
        }
        List<String> rest = args.subList(1, args.size());
        try {
            return switch (args.get(0)) {
                case "compare" -> new Compare(Options.parse(rest)).run(args) ? 0 : 1;
                default -> throw new IllegalArgumentException("unknown command " + args.get(0));
            };
        } catch (IllegalArgumentException ex) {
            System.err.println(ex.getMessage());
            System.err.print(USAGE);
            return 2;
        }
    }
}
