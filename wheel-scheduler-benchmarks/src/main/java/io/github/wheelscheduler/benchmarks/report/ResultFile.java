package io.github.wheelscheduler.benchmarks.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A file of results, to which lines are added one at a time. */
public final class ResultFile {

    private final Path path;

    public ResultFile(Path path) {
        this.path = path;
    }

    /** Adds a result; makes the file, and its directory, when it is the first. */
    public void append(Result result) {
        try {
            Path directory = path.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            Files.writeString(path, result.toLine() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Returns all results; none if there is no file. */
    public List<Result> read() {
        if (!Files.exists(path)) {
            return List.of();
        }
        try {
            return Files.readAllLines(path).stream()
                    .filter(line -> !line.isBlank())
                    .map(Result::parse)
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
