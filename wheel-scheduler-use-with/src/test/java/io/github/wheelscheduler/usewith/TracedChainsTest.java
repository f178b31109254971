package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** However often a task runs, or schedules itself, no trace continues, no link is handed on, and no memory is taken. */
class TracedChainsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The number of runs whose spans are checked together, and then forgotten. */
    private static final int BATCH = 1_000;

    /** A tenth of the bytes that a million runs would hold if each kept its ids. */
    private static final long MOST_GROWTH_BYTES = 16 << 20;

    private static long bytesInUse() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** The runs of a task that schedules itself. Each is checked in the run that ends its batch. */
    private static final class Chain {

        private final TracedApplication in;
        private final int length;
        private final boolean isDurable;
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private int begun;
        private int checked;
        private long bytesOfFirstTenth;

        /** The span of the last run that was checked; null before the first, whose caller is a request. */
        private @Nullable Exported last;

        Chain(TracedApplication in, int length, boolean isDurable) {
            this.in = in;
            this.length = length;
            this.isDurable = isDurable;
        }

        /** Is called by each run, of which there is one at a time, and returns whether another is to follow. */
        boolean runs() {
            try {
                if (begun - checked >= BATCH) {
                    check();
                }
                begun++;
                if (begun == length / 10) {
                    bytesOfFirstTenth = bytesInUse();
                }
                if (begun < length) {
                    return true;
                }
                end.complete(null);
            } catch (Throwable ex) {
                end.completeExceptionally(ex);
            }
            return false;
        }

        private Map<String, Exported> spans(String prefix, boolean byLink) {
            Map<String, Exported> spans = new HashMap<>();
            for (Exported span : in.runs()) {
                if (span.name().startsWith(prefix)) {
                    String key =
                            byLink && !span.links().isEmpty() ? span.links().get(0) : span.parentId();
                    assertThat(spans.put(key, span)).isNull();
                }
            }
            return spans;
        }

        /** Follows the links from run to run. A run's span ends after the run itself, so the last one may be late. */
        private void check() {
            int runs = begun - checked;
            int spans = isDurable ? 2 * runs : runs;
            await().atMost(PATIENCE).until(() -> in.runs().size(), size -> size == spans);
            Map<String, Exported> byCaller = spans("run ", true);
            Map<String, Exported> producers = spans("schedule ", false);
            for (int i = 0; i < runs; i++) {
                Exported scheduling = last == null ? in.request() : last;
                Exported caller = isDurable ? producers.get(scheduling.spanId()) : scheduling;
                assertThat(caller.traceId()).isEqualTo(scheduling.traceId());
                Exported run = byCaller.get(last == null ? caller.spanId() : caller.link());
                if (last != null) {
                    assertThat(run.parentId()).isEmpty();
                    assertThat(run.links()).containsExactly(caller.link());
                    assertThat(run.traceId()).isNotEqualTo(last.traceId());
                }
                last = run;
            }
            checked = begun;
            in.forgetSpans();
        }

        void awaitEnd() throws Exception {
            end.get(30, TimeUnit.MINUTES);
            check();
            assertThat(checked).isEqualTo(length);
            assertThat(bytesInUse() - bytesOfFirstTenth).as("bytes more").isLessThan(MOST_GROWTH_BYTES);
        }
    }

    private static TracedApplication inRealTime(Bridge bridge, List<Class<?>> beans) {
        return TracedApplication.durable(
                bridge, beans, "database=chain" + UUID.randomUUID(), "wheel.scheduler.observe=all");
    }

    @ParameterizedTest
    @EnumSource
    void taskThatSchedulesItselfMakesNoChain(Bridge bridge) throws Exception {
        try (TracedApplication in = inRealTime(bridge, List.of())) {
            Chain chain = new Chain(in, Scale.of(3_000, 1_000_000), false);
            Runnable task = new Runnable() {
                @Override
                public void run() {
                    if (chain.runs()) {
                        var unused = in.scheduler().schedule(this, Instant.now());
                    }
                }
            };
            in.request(() -> {
                var unused = in.scheduler().schedule(task, Instant.now());
            });
            chain.awaitEnd();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Again {

        private final DurableTasks tasks;
        private volatile @Nullable Chain chain;

        Again(@Lazy DurableTasks tasks) {
            this.tasks = tasks;
        }

        @DurableHandler("again")
        void again(@Nullable String payload, DurableRun run) {
            Chain current = chain;
            if (current != null && current.runs()) {
                assertThat(tasks.schedule("again", run.id(), null, Instant.now()))
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void durableTaskThatSchedulesItselfMakesNoChain(Bridge bridge) throws Exception {
        try (TracedApplication in = inRealTime(bridge, List.of(Again.class))) {
            Chain chain = new Chain(in, Scale.of(50, 1_000_000), true);
            in.bean(Again.class).chain = chain;
            in.request(() -> assertThat(in.bean(DurableTasks.class).schedule("again", "a", null, Instant.now()))
                    .isTrue());
            chain.awaitEnd();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rateMakesNoChain(Bridge bridge) {
        int runs = Scale.of(3_000, 1_000_000);
        try (TracedApplication in = new TracedApplication(bridge, List.of(), "wheel.scheduler.observe=all")) {
            in.request(() -> {
                var unused = in.scheduler()
                        .scheduleAtFixedRate(() -> {}, in.time().now().plusMillis(1), Duration.ofMillis(1));
            });
            long bytesOfFirstTenth = 0;
            for (int done = 0; done < runs; done += BATCH) {
                if (bytesOfFirstTenth == 0 && done >= runs / 10) {
                    bytesOfFirstTenth = bytesInUse();
                }
                in.time().advanceBy(Duration.ofMillis(BATCH));
                List<Exported> spans = in.runs();
                assertThat(spans).hasSize(BATCH).allSatisfy(span -> {
                    assertThat(span.parentId()).isEmpty();
                    assertThat(span.links()).isEmpty();
                });
                assertThat(spans).extracting(Exported::traceId).doesNotHaveDuplicates();
                in.forgetSpans();
            }
            assertThat(bytesInUse() - bytesOfFirstTenth).as("bytes more").isLessThan(MOST_GROWTH_BYTES);
        }
    }
}
