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
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
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

    /** Returns runs by the span that their link names or, if they have none, by their parent. */
    private static Map<String, Exported> byCaller(List<Exported> runs) {
        Map<String, Exported> byCaller = new HashMap<>();
        for (Exported run : runs) {
            String caller = run.links().isEmpty() ? run.parentId() : run.links().get(0);
            assertThat(byCaller.put(caller, run)).isNull();
        }
        return byCaller;
    }

    private static void assertOnlyLinkIs(Exported caller, Exported run) {
        assertThat(run.parentId()).isEmpty();
        assertThat(run.links()).containsExactly(caller.link());
        assertThat(run.traceId()).isNotEqualTo(caller.traceId());
    }

    /** The runs of a task that schedules itself. Each is checked in the run that ends its batch. */
    private static final class Chain {

        private final TracedApplication in;
        private final int length;
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private int begun;
        private int checked;
        private long bytesOfFirstTenth;

        /** The span of the last run that was checked; null before the first, whose caller is a request. */
        private @Nullable Exported last;

        Chain(TracedApplication in, int length) {
            this.in = in;
            this.length = length;
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

        /** Follows the links from run to run. A run's span ends after the run itself, so the last one may be late. */
        private void check() {
            int runs = begun - checked;
            await().atMost(PATIENCE).until(() -> in.runs().size(), size -> size == runs);
            Map<String, Exported> byCaller = byCaller(in.runs());
            for (int i = 0; i < runs; i++) {
                Exported caller = last == null ? in.request() : last;
                Exported run = byCaller.get(last == null ? caller.spanId() : caller.link());
                if (last != null) {
                    assertOnlyLinkIs(caller, run);
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
            Chain chain = new Chain(in, Scale.of(3_000, 1_000_000));
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

    /**
     * Durable tasks that schedule themselves, side by side: one alone would wait for the database most of the time. All
     * wait for each other in the run after a batch, while its spans are checked.
     */
    private static final class DurableChains {

        private final TracedApplication in;
        private final int length;
        private final int batch;
        private final AtomicIntegerArray begun;
        private final CyclicBarrier allBegan;
        private final CountDownLatch left;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        /** By chain: the span of scheduling the run that is checked next. */
        private final Map<String, Exported> producers = new HashMap<>();

        private boolean isFirst = true;
        private long bytesOfFirstBatches;
        private int batches;

        DurableChains(TracedApplication in, int chains, int length, int batch) {
            this.in = in;
            this.length = length;
            this.batch = batch;
            this.begun = new AtomicIntegerArray(chains);
            this.allBegan = new CyclicBarrier(chains, this::check);
            this.left = new CountDownLatch(chains);
        }

        /** Is called by each run, and returns whether another is to follow. */
        boolean runs(String id) throws Exception {
            int number = begun.getAndIncrement(Integer.parseInt(id));
            if (number > 0 && number % batch == 0) {
                int ignored = allBegan.await(10, TimeUnit.MINUTES);
            }
            if (number < length) {
                return true;
            }
            left.countDown();
            return false;
        }

        /** Checks the runs of a batch; in each chain, the one that follows has begun. */
        private void check() {
            try {
                int runs = begun.length() * batch;
                int spans = 2 * runs + (isFirst ? begun.length() : 0);
                await().atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> in.runs().size(), size -> size == spans);
                List<Exported> all = in.runs();
                Map<String, Exported> byCaller = byCaller(starting(all, "run "));
                Map<String, Exported> byRun = new HashMap<>();
                for (Exported producer : starting(all, "schedule ")) {
                    Exported first = isFirst ? byCaller.get(producer.spanId()) : null;
                    if (first == null) {
                        assertThat(byRun.put(producer.parentId(), producer)).isNull();
                    } else {
                        assertThat(first.traceId()).isEqualTo(in.request().traceId());
                        assertThat(producers.put(idOf(first), producer)).isNull();
                    }
                }
                assertThat(producers).hasSize(begun.length());
                producers.replaceAll((id, producer) -> follow(id, producer, byCaller, byRun));
                isFirst = false;
                in.forgetSpans();
                if (++batches == 2) {
                    bytesOfFirstBatches = bytesInUse();
                }
            } catch (Throwable ex) {
                failure.set(ex);
                throw ex;
            }
        }

        /** Follows one chain from run to run, and returns the span of scheduling the one after the batch. */
        private Exported follow(
                String id, Exported first, Map<String, Exported> byCaller, Map<String, Exported> byRun) {
            Exported producer = first;
            for (int i = 0; i < batch; i++) {
                Exported run;
                if (isFirst && i == 0) {
                    run = byCaller.get(producer.spanId());
                } else {
                    run = byCaller.get(producer.link());
                    assertOnlyLinkIs(producer, run);
                }
                assertThat(idOf(run)).isEqualTo(id);
                producer = byRun.get(run.spanId());
                assertThat(producer.traceId()).isEqualTo(run.traceId());
            }
            return producer;
        }

        private static String idOf(Exported run) {
            return Objects.requireNonNull(run.attributes().get("task.id"));
        }

        private static List<Exported> starting(List<Exported> spans, String prefix) {
            return spans.stream().filter(span -> span.name().startsWith(prefix)).toList();
        }

        void awaitEnd() throws Exception {
            boolean isOver = false;
            for (int i = 0; i < 60 * 60 && !isOver && failure.get() == null; i++) {
                isOver = left.await(1, TimeUnit.SECONDS);
            }
            assertThat(failure.get()).isNull();
            assertThat(isOver).isTrue();
            assertThat(batches).isEqualTo(length / batch);
            assertThat(bytesInUse() - bytesOfFirstBatches).as("bytes more").isLessThan(MOST_GROWTH_BYTES);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Again {

        private final DurableTasks tasks;
        private volatile @Nullable DurableChains chains;

        Again(@Lazy DurableTasks tasks) {
            this.tasks = tasks;
        }

        @DurableHandler(value = "again", maxRetries = 0)
        void again(@Nullable String payload, DurableRun run) throws Exception {
            DurableChains current = chains;
            if (current != null && current.runs(run.id())) {
                assertThat(tasks.schedule("again", run.id(), null, Instant.now()))
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void durableTaskThatSchedulesItselfMakesNoChain(Bridge bridge) throws Exception {
        int count = Scale.of(3, 400);
        try (TracedApplication in = TracedApplication.durable(
                bridge,
                List.of(Again.class),
                "database=chain" + UUID.randomUUID(),
                "wheel.scheduler.observe=all",
                "wheel.scheduler.durable.max-concurrent=" + count)) {
            DurableChains chains = new DurableChains(in, count, Scale.of(20, 2_500), Scale.of(5, 25));
            in.bean(Again.class).chains = chains;
            DurableTasks tasks = in.bean(DurableTasks.class);
            in.request(() -> {
                for (int i = 0; i < count; i++) {
                    assertThat(tasks.schedule("again", String.valueOf(i), null, Instant.now()))
                            .isTrue();
                }
            });
            chains.awaitEnd();
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
