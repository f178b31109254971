package io.github.wheelscheduler.durable;

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
}
