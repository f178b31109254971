package io.github.wheelscheduler.usewith;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.wheelscheduler.testing.ChildJvm;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanId;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.json.JsonParser;
import org.springframework.boot.json.JsonParserFactory;

/** OpenTelemetry's Java agent makes the same spans of tasks on the wheel as on Boot's scheduler. */
@Tag("full")
class AgentTest {

    private static final String SCHEDULING = "io.opentelemetry.spring-scheduling-3.1";

    /** The spans that the agent has exported. */
    private static final Map<String, Exported> SPANS = new HashMap<>();

    /** By scheduler and task: which span is current in its runs. */
    private static final Map<String, Map<String, List<String>>> RUNS = new HashMap<>();

    /** A span of the agent. */
    private record Exported(
            String traceId, String parentId, String name, String maker, String status, int events, String thread) {

        @SuppressWarnings("unchecked")
        static Exported of(String maker, Map<String, Object> span) {
            Map<String, Object> status = (Map<String, Object>) span.getOrDefault("status", Map.of());
            return new Exported(
                    String.valueOf(span.get("traceId")),
                    String.valueOf(span.getOrDefault("parentSpanId", "")),
                    String.valueOf(span.get("name")),
                    maker,
                    String.valueOf(status.get("code")),
                    ((List<Object>) span.getOrDefault("events", List.of())).size(),
                    threadOf((List<Map<String, Object>>) span.getOrDefault("attributes", List.of())));
        }

        @SuppressWarnings("unchecked")
        private static String threadOf(List<Map<String, Object>> attributes) {
            return attributes.stream()
                    .filter(attribute -> "thread.name".equals(attribute.get("key")))
                    .map(attribute -> (Map<String, Object>) attribute.get("value"))
                    .map(value -> String.valueOf(value.get("stringValue")))
                    .findFirst()
                    .orElse("");
        }

        /** Returns what is to be the same on all schedulers. */
        String text() {
            Exported parent = SPANS.get(parentId);
            String place = parent == null ? "a root" : "a child of " + parent.name.replaceFirst(" of .*", "");
            return name + ", " + place + ", status " + status + ", " + events + " events, made by " + maker;
        }
    }

    /** Returns the newest agent in the repository in which Maven keeps the API; null if there is none. */
    private static @Nullable Path agent() throws Exception {
        Path api = Path.of(
                Span.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        File[] versions = api.resolve("../../../javaagent/opentelemetry-javaagent")
                .normalize()
                .toFile()
                .listFiles(File::isDirectory);
        return Stream.of(versions == null ? new File[0] : versions)
                .map(version -> version.toPath().resolve("opentelemetry-javaagent-" + version.getName() + ".jar"))
                .filter(Files::exists)
                .max(Path::compareTo)
                .orElse(null);
    }

    @BeforeAll
    static void playProgram() throws Exception {
        Path agent = agent();
        assumeTrue(
                agent != null,
                "skipped without the agent; mvn dependency:get -Dtransitive=false"
                        + " -Dartifact=io.opentelemetry.javaagent:opentelemetry-javaagent:2.20.1 makes it run");
        List<String> ignored = new ChildJvm(
                        "agent",
                        List.of(
                                "-Xmx256m",
                                "-XX:TieredStopAtLevel=1",
                                "-javaagent:" + agent,
                                "-Dotel.traces.exporter=logging-otlp",
                                "-Dotel.metrics.exporter=none",
                                "-Dotel.logs.exporter=none",
                                "-Dotel.instrumentation.executors.include="
                                        + "io.github.wheelscheduler.WheelScheduledExecutor"),
                        AgentProgram.class,
                        List.of())
                .awaitSuccess(Duration.ofMinutes(2));
        JsonParser parser = JsonParserFactory.getJsonParser();
        for (String line : Files.readAllLines(Path.of("target", "children", "agent.log"), StandardCharsets.UTF_8)) {
            int begin = line.indexOf("{\"resource\"");
            if (begin >= 0) {
                read(parser.parseMap(line.substring(begin)));
            } else if (line.startsWith("run: ")) {
                String[] words = line.split(" ", -1);
                RUNS.computeIfAbsent(words[1], any -> new TreeMap<>())
                        .computeIfAbsent(words[2], any -> new ArrayList<>())
                        .add(words[4]);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void read(Map<String, Object> exported) {
        for (Map<String, Object> some : (List<Map<String, Object>>) exported.get("scopeSpans")) {
            String maker = String.valueOf(((Map<String, Object>) some.get("scope")).get("name"));
            for (Map<String, Object> span : (List<Map<String, Object>>) some.get("spans")) {
                SPANS.put(String.valueOf(span.get("spanId")), Exported.of(maker, span));
            }
        }
    }

    static Stream<String> kinds() {
        return RUNS.containsKey("virtual-boot") ? Stream.of("", "virtual-") : Stream.of("");
    }

    /** Returns what the spans are like that are current in the runs of tasks. */
    private static Map<String, Set<String>> spans(String scheduler, Predicate<String> tasks) {
        return RUNS.get(scheduler).entrySet().stream()
                .filter(runs -> tasks.test(runs.getKey()))
                .collect(toMap(Map.Entry::getKey, runs -> textsOf(runs.getValue())));
    }

    private static Set<String> textsOf(List<String> spanIds) {
        Set<String> texts = new TreeSet<>();
        for (String id : spanIds) {
            Exported span = SPANS.get(id);
            texts.add(span != null ? span.text() : SpanId.isValid(id) ? "not of the agent" : "none");
        }
        return texts;
    }

    private static boolean isRepeating(String task) {
        return !task.startsWith("once");
    }

    private static boolean isTriggerInRequest(String task) {
        return task.equals("trigger" + AgentProgram.IN_REQUEST);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void repeatingTaskHasTheSameSpansAsOnBoot(String kind) {
        Predicate<String> compared = task -> isRepeating(task) && !isTriggerInRequest(task);
        Map<String, Set<String>> onBoot = spans(kind + "boot", compared);
        assertThat(onBoot)
                .hasSize(18)
                .allSatisfy((task, texts) -> assertThat(texts)
                        .singleElement()
                        .asString()
                        .contains(
                                ", a root, ", task.contains("failing") ? "status 2, 1 events" : "status null, 0 events")
                        .endsWith(SCHEDULING));
        assertThat(spans(kind + "wheel", compared)).isEqualTo(onBoot);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void eachRunHasASpanOfItsOwn(String kind) {
        RUNS.get(kind + "wheel").forEach((task, spanIds) -> {
            if (isRepeating(task)) {
                assertThat(spanIds).as(task).doesNotHaveDuplicates();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void errorHandlerIsInTheSpanOfTheRun(String kind) {
        Map<String, List<String>> runs = RUNS.get(kind + "wheel");
        for (String task : List.of("failing", "annotated-failing")) {
            assertThat(runs.get("handler-of-" + task)).as(task).isEqualTo(runs.get(task));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void triggerDoesNotStayInTheTraceOfARequest(String kind) {
        assertThat(spans(kind + "boot", AgentTest::isTriggerInRequest).values())
                .as("on Boot's scheduler")
                .allSatisfy(
                        texts -> assertThat(texts).singleElement().asString().contains("a child of request"));
        assertThat(spans(kind + "wheel", AgentTest::isTriggerInRequest).values())
                .hasSize(1)
                .allSatisfy(
                        texts -> assertThat(texts).singleElement().asString().contains("a root"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void oneTimeTaskIsInTheSpanOfItsCaller(String kind) {
        Map<String, Set<String>> onTheWheel = spans(kind + "wheel", task -> !isRepeating(task));
        assertThat(onTheWheel)
                .hasSize(8)
                .allSatisfy((task, texts) -> assertThat(texts)
                        .singleElement()
                        .asString()
                        .startsWith(
                                task.endsWith(AgentProgram.IN_REQUEST)
                                        ? "request of " + kind + "wheel, a root"
                                        : "none"));
        assertThat(onTheWheel.keySet())
                .isEqualTo(spans(kind + "boot", task -> !isRepeating(task)).keySet());
        assertThat(spans(kind + "boot", task -> task.startsWith("once") && task.endsWith(AgentProgram.IN_REQUEST)))
                .allSatisfy((task, texts) ->
                        assertThat(texts).singleElement().asString().startsWith("request of " + kind + "boot, a root"));
    }

    @Test
    void observedTaskHasNoSpanOfTheAgentBesideItsOwn() {
        assertThat(spans("observed", task -> isRepeating(task) && !task.contains("annotated")))
                .hasSize(14)
                .allSatisfy((task, texts) -> assertThat(texts)
                        .singleElement()
                        .asString()
                        .startsWith("run task, a root, ")
                        .doesNotContain(SCHEDULING));
        assertThat(spans("observed", task -> task.startsWith("annotated")))
                .allSatisfy((task, texts) -> assertThat(texts)
                        .singleElement()
                        .asString()
                        .containsPattern("task jobs\\.(\\w+), a child of Jobs\\.\\1, ")
                        .doesNotContain(SCHEDULING));
        assertThat(SPANS.values())
                .filteredOn(span -> span.thread.startsWith("observed-") && span.maker.equals(SCHEDULING))
                .extracting(Exported::name)
                .containsOnly(
                        "Jobs.annotatedRate", "Jobs.annotatedDelay", "Jobs.annotatedCron", "Jobs.annotatedFailing");
    }
}
