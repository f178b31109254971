package io.github.wheelscheduler.sample.cluster;

import io.github.wheelscheduler.sample.SampleApplication;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.springframework.boot.system.ApplicationHome;

/**
 * A node in a process of its own, on the class path or the jar of this one. Keeps the output of the process for a
 * failure.
 */
final class NodeProcess {

    private static final String LAUNCHER_OF_JAR = "org.springframework.boot.loader.launch.PropertiesLauncher";
    private static final int LINES_KEPT = 30;
    private static final long READ_LIMIT_MILLIS = 1_000;

    private final String name;
    private final Process process;
    private final Thread reader;
    private final Deque<String> lines = new ArrayDeque<>();

    private NodeProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reader = new Thread(this::readLines, "output-of-" + name);
        reader.setDaemon(true);
    }

    static NodeProcess start(String name, String url) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Collections.addAll(command, "-Xmx128m", "-XX:TieredStopAtLevel=1");
        File jar = new ApplicationHome(SampleApplication.class).getSource();
        if (jar != null && jar.isFile()) {
            Collections.addAll(command, "-Dloader.main=" + ClusterNode.class.getName());
            Collections.addAll(command, "-cp", jar.getPath(), LAUNCHER_OF_JAR);
        } else {
            Collections.addAll(command, "-cp", System.getProperty("java.class.path"), ClusterNode.class.getName());
        }
        Collections.addAll(command, name, url);
        NodeProcess node = new NodeProcess(
                name, new ProcessBuilder(command).redirectErrorStream(true).start());
        node.reader.start();
        return node;
    }

    private void readLines() {
        try (BufferedReader output = process.inputReader()) {
            String line = output.readLine();
            while (line != null) {
                keep(line);
                line = output.readLine();
            }
        } catch (IOException ex) {
            keep(ex.toString());
        }
    }

    private synchronized void keep(String line) {
        lines.addLast(line);
        if (lines.size() > LINES_KEPT) {
            String ignored = lines.removeFirst();
        }
    }

    private synchronized String lastLines() {
        return String.join(System.lineSeparator(), lines);
    }

    /** @throws IOException with what it has printed, if it has ended */
    void checkAlive() throws IOException, InterruptedException {
        if (!process.isAlive()) {
            reader.join(READ_LIMIT_MILLIS);
            throw new IOException(
                    "The process " + name + " must go on, but has ended:" + System.lineSeparator() + lastLines());
        }
    }

    /** Ends it at once and without warning, and waits until it has gone. */
    void kill() throws InterruptedException {
        int ignored = process.destroyForcibly().waitFor();
    }

    /** The same without waiting. */
    void end() {
        Process ignored = process.destroyForcibly();
    }
}
