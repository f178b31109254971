package io.github.wheelscheduler.durable.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What a node has done, in lines that outlive it. Any thread. */
final class MeasuredLog {

    /**
     * A task that has started.
     *
     * @param atMicros by the clock of the machine, which is the database's, too
     * @param errorMicros by how much the node may have mistaken that clock
     */
    record Run(String id, String node, long atMicros, long errorMicros) {}

    private final FileChannel file;

    private MeasuredLog(FileChannel file) {
        this.file = file;
    }

    static MeasuredLog to(Path path) {
        try {
            return new MeasuredLog(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static long nowMicros() {
        return micros(Instant.now());
    }

    static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    void run(String id, Duration error) {
        line("run " + id + " " + nowMicros() + " " + (error.toNanos() / 1_000 + 1));
    }

    synchronized void line(String line) {
        try {
            int ignored = file.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns the whole lines that begin with a word, split at spaces. */
    static List<String[]> lines(Path path, String word) {
        try {
            List<String[]> lines = new ArrayList<>();
            String text = Files.exists(path) ? Files.readString(path) : "";
            text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith(word))
                    .forEach(line -> lines.add(line.split(" ", -1)));
            return lines;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static List<Run> runs(Path path, String node) {
        return lines(path, "run ").stream()
                .map(words -> new Run(words[1], node, Long.parseLong(words[2]), Long.parseLong(words[3])))
                .toList();
    }

    /** The page of what was measured. Each scenario has a file, so that one alone can be measured again. */
    static final class MeasuredPage {

        private static final Path DIRECTORY = Path.of("target", "measured", "page");
        private static final Path PAGE = Path.of("target", "measured", "durable-measured.md");

        /** Whether what is measured is as long as for the page, and not only tried. */
        static final boolean IS_LONG =
                System.getProperty("wheel.test.scale", "short").equals("long");

        private MeasuredPage() {}

        /** Returns a number as the page has it. */
        static String rate(double perSecond) {
            return String.format(Locale.ROOT, "%,.0f", perSecond);
        }

        /** Writes a section, and the page with all sections there are. */
        static void write(String letter, String title, String about, List<String> head, List<List<String>> rows)
                throws IOException {
            StringBuilder text =
                    new StringBuilder("## ").append(title).append("\n\n").append(about.strip());
            text.append("\n\n")
                    .append(line(head))
                    .append("|---".repeat(head.size()))
                    .append("|\n");
            rows.forEach(row -> text.append(line(row)));
            Files.createDirectories(DIRECTORY);
            Files.writeString(DIRECTORY.resolve(letter + ".md"), text);
            System.out.println("\n" + text);
            Files.writeString(PAGE, header() + "\n" + String.join("\n", sections()));
        }

        private static String line(List<String> cells) {
            return "| " + String.join(" | ", cells) + " |\n";
        }

        private static List<String> sections() throws IOException {
            try (Stream<Path> files = Files.list(DIRECTORY)) {
                return files.sorted()
                        .map(file -> {
                            try {
                                return Files.readString(file);
                            } catch (IOException ex) {
                                throw new java.io.UncheckedIOException(ex);
                            }
                        })
                        .toList();
            }
        }

        private static String header() {
            return """
                    # Durable tasks, measured

                    Processes of their own on one PostgreSQL, all on one machine, which has %d cores; JDK %s. `DurableMeasured` wrote this page, with

                    ```
                    mvn -B verify -Pcluster -pl wheel-scheduler-durable -am
                    ```

                    in `target/measured` of the module; `-Dit.test='DurableMeasured#bBacklog'` measures one scenario again, `-Dwheel.test.scale=short` a little of
                    each. A scenario fails if a task is lost, runs twice where nothing was killed or stopped, or starts early; how fast it is, is only written down.

                    PostgreSQL is as it is when nobody has set it up, with `fsync` and `synchronous_commit` on. A node of ours has all defaults, so %d runs at a time. That of db-scheduler, its own
                    `Scheduler`, is as precise and as quick as it can be told to be: as many threads, `pollUsingLockAndFetch(1.0, 4.0)`, a poll every 20 ms, `enableImmediateExecution`. Both write a
                    line into a file for each run; how late that is, is told by the clock of the machine, which is the database's. "Early" is what started sooner than the error
                    of the node's clock explains; "earliest" may be less than zero by that error. Times are milliseconds.
                    """.formatted(
                            Runtime.getRuntime().availableProcessors(),
                            System.getProperty("java.version"),
                            MeasuredNode.THREADS);
        }
    }
}
