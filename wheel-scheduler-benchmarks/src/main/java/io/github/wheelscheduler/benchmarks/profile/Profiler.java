package io.github.wheelscheduler.benchmarks.profile;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs some figures on ours, each in a JVM that records itself, and writes the page. */
public final class Profiler {

    private static final List<String> FIGURES = List.of("A", "C", "E");
    private static final String CONTENDER = "wheel";

    private Profiler() {}

    /** Returns the page; recordings are made with the JDK of that home. */
    public static String page(Path javaHome, boolean isTiny) throws IOException {
        ProfilePage page = new ProfilePage();
        for (String name : FIGURES) {
            Figure figure = Figures.named(name);
            String variant = figure.variants().get(0);
            Path recording = Files.createTempFile("wheel-profile", ".jfr");
            try {
                long operations = record(javaHome, name, variant, isTiny, recording);
                page.add(name + ". " + figure.title() + " (" + variant + ")", Samples.read(recording), operations);
            } finally {
                Files.deleteIfExists(recording);
            }
        }
        return page.toString();
    }

    private static long record(Path javaHome, String figure, String variant, boolean isTiny, Path recording)
            throws IOException {
        Process process = new ProcessBuilder(
                        javaHome.resolve("bin").resolve("java").toString(),
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+DebugNonSafepoints",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ProfiledChild.class.getName(),
                        figure,
                        variant,
                        CONTENDER,
                        String.valueOf(isTiny),
                        recording.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output.lines()
                .filter(line -> line.matches("\\d+"))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("figure " + figure + " must be measured, said " + output));
    }
}
