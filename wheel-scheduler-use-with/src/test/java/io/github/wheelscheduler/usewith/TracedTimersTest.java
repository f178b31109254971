package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.DueEntry;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.Lease;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.LeaseStart;
import io.github.wheelscheduler.lease.Renewal;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Calls of keyed timers, idle timeouts and leases export one span each, where all is observed, and else none. */
class TracedTimersTest {

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<TracedApplication> open = new ArrayList<>();

    private TracedApplication application(Bridge bridge, ObservedTasks observe) {
        TracedApplication started = new TracedApplication(
                bridge,
                List.of(Timers.class),
                "wheel.scheduler.observe=" + observe.name().toLowerCase(Locale.ROOT));
        open.add(started);
        return started;
    }

    @AfterEach
    void close() {
        open.forEach(TracedApplication::close);
    }

    private static String traceInLog() {
        return String.valueOf(MDC.get("traceId"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Timers {

        private final List<String> seen = new CopyOnWriteArrayList<>();
        private final List<Integer> batches = new CopyOnWriteArrayList<>();
        private volatile Renewal.Outcome outcome = Renewal.Outcome.RENEWED;

        @Bean
        KeyedTimers<String, String> unpaid(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), this::due)
                    .build();
        }

        @Bean
        KeyedTimers<Integer, String> batched(TimerWheel wheel) {
            return KeyedTimers.<Integer, String>batchBuilder(wheel.executor(), 10, this::dueTogether)
                    .build();
        }

        @Bean
        IdleTimeouts<String> idle(TimerWheel wheel) {
            return IdleTimeouts.<String>builder(wheel.executor(), key -> due(key, key))
                    .build();
        }

        @Bean
        LeaseRenewer<String> leases(TimerWheel wheel) {
            return LeaseRenewer.<String>builder(wheel.executor(), this::renew).build();
        }

        private void due(String key, String value) {
            seen.add(traceInLog());
            if (value.equals("fail")) {
                throw new IllegalStateException("on purpose");
            }
        }

        private void dueTogether(List<DueEntry<Integer, String>> due) {
            seen.add(traceInLog());
            batches.add(due.size());
        }

        private Renewal.Outcome renew(String key) {
            seen.add(traceInLog());
            return outcome;
        }
    }

    @SuppressWarnings("unchecked")
    private static KeyedTimers<String, String> keyed(TracedApplication in) {
        return in.bean("unpaid", KeyedTimers.class);
    }

    @SuppressWarnings("unchecked")
    private static IdleTimeouts<String> idle(TracedApplication in) {
        return in.bean("idle", IdleTimeouts.class);
    }

    @SuppressWarnings("unchecked")
    private static LeaseRenewer<String> leases(TracedApplication in) {
        return in.bean("leases", LeaseRenewer.class);
    }

    static Stream<Arguments> cells() {
        return Stream.of(Bridge.values())
                .flatMap(bridge -> Stream.of(ObservedTasks.values()).map(observe -> Arguments.of(bridge, observe)));
    }

    /** Whether the calls have made spans; if not, nothing was in the log either. */
    private static boolean isObserved(TracedApplication in, ObservedTasks observe, int calls) {
        List<String> seen = in.bean(Timers.class).seen;
        assertThat(seen).hasSize(calls);
        if (observe != ObservedTasks.ALL) {
            assertThat(in.runs()).isEmpty();
            assertThat(seen).containsOnly("null");
            return false;
        }
        assertThat(in.runs()).hasSize(calls).allSatisfy(span -> {
            assertThat(span.kind()).isEqualTo("INTERNAL");
            assertThat(span.attributes()).containsEntry("trigger", "SCHEDULE");
        });
        assertThat(seen)
                .containsExactlyElementsOf(
                        in.runs().stream().map(Exported::traceId).toList());
        assertThat(traceInLog()).isEqualTo("null");
        return true;
    }

    private static void assertRoot(Exported span, String... links) {
        assertThat(span.parentId()).isEmpty();
        assertThat(span.links()).containsExactly(links);
    }

    private static void set(TracedApplication in, String key, Duration delay) {
        assertThat(keyed(in).set(key, key, delay)).isNull();
    }

    @ParameterizedTest
    @MethodSource("cells")
    void callOfAKeyedTimerNamesTheOneThatSetIt(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, observe);
        in.request(() -> {
            set(in, "moved", SHORT);
            set(in, "short", SHORT);
            set(in, "long", MINUTE);
        });
        assertThat(keyed(in).move("moved", MINUTE.plusSeconds(1))).isTrue();
        set(in, "outside", MINUTE.plusSeconds(2));
        in.time().advanceBy(Duration.ofSeconds(70));
        if (isObserved(in, observe, 4)) {
            Exported request = in.request();
            List<Exported> runs = in.runs();
            assertThat(runs).allSatisfy(span -> {
                assertThat(span.name()).isEqualTo("run unpaid");
                assertThat(span.attributes())
                        .containsEntry("scheduler", "keyed")
                        .containsEntry("task", "unpaid")
                        .containsEntry("outcome", "SUCCESS");
            });
            assertThat(runs.get(0).parentId()).isEqualTo(request.spanId());
            assertThat(runs.get(0).traceId()).isEqualTo(request.traceId());
            assertRoot(runs.get(1), request.link());
            assertRoot(runs.get(2), request.link());
            assertRoot(runs.get(3));
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void batchLinksToAllThatSetItsKeys(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, observe);
        List<Exported> requests = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int key = i;
            in.request(() -> assertThat(batched(in).set(key, "value", SHORT)).isNull());
            requests.add(in.request());
        }
        assertThat(batched(in).set(3, "value", SHORT)).isNull();
        in.time().advanceBy(SHORT);
        int calls = in.bean(Timers.class).batches.size();
        assertThat(in.bean(Timers.class).batches.stream().mapToInt(each -> each).sum())
                .isEqualTo(4);
        if (isObserved(in, observe, calls)) {
            assertThat(in.runs().stream().flatMap(span -> Stream.concat(span.links().stream(), parentOf(span))))
                    .containsExactlyInAnyOrderElementsOf(
                            requests.stream().map(Exported::link).toList());
        }
    }

    private static Stream<String> parentOf(Exported span) {
        return span.parentId().isEmpty() ? Stream.of() : Stream.of(span.traceId() + "-" + span.parentId());
    }

    @SuppressWarnings("unchecked")
    private static KeyedTimers<Integer, String> batched(TracedApplication in) {
        return in.bean("batched", KeyedTimers.class);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void expiryLinksToTheCallThatRegisteredTheKey(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, observe);
        IdleTimeouts<String> idle = idle(in);
        List<IdleTimeout> timeouts = new ArrayList<>();
        in.request(() -> timeouts.add(idle.register("inside", MINUTE)));
        timeouts.add(idle.register("outside", MINUTE.plusSeconds(50)));
        in.time().advanceBy(Duration.ofSeconds(40));
        assertThat(timeouts.get(0).touch()).isTrue();
        in.time().advanceBy(Duration.ofSeconds(80));
        if (isObserved(in, observe, 2)) {
            assertThat(in.runs()).extracting(Exported::name).containsOnly("run idle");
            assertRoot(in.runs().get(0), in.request().link());
            assertRoot(in.runs().get(1));
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void renewalIsARootAndALossLinksToTheLease(Bridge bridge, ObservedTasks observe) {
        TracedApplication in = application(bridge, observe);
        LeaseRenewer<String> leases = leases(in);
        Timers timers = in.bean(Timers.class);
        List<Lease<String>> kept = new ArrayList<>();
        in.request(() -> {
            LeaseStart start = leases.start();
            kept.add(leases.keep("a", MINUTE, start, (key, reason) -> timers.seen.add(traceInLog())));
        });
        in.time().advanceBy(Duration.ofSeconds(21));
        timers.outcome = Renewal.Outcome.GONE;
        in.time().advanceBy(Duration.ofSeconds(21));
        assertThat(kept.get(0).isKept()).isFalse();
        if (isObserved(in, observe, 3)) {
            assertThat(in.runs())
                    .extracting(Exported::name)
                    .containsExactly("run leases", "run leases", "run leases-lost");
            assertRoot(in.runs().get(0));
            assertRoot(in.runs().get(1));
            assertRoot(in.runs().get(2), in.request().link());
        }
    }

    /** Reads the context of the log on the thread that logs. */
    private static final class FailureLines extends Handler implements AutoCloseable {

        private static final Logger LOGGER = Logger.getLogger("");

        private final List<String> traces = new CopyOnWriteArrayList<>();

        FailureLines() {
            LOGGER.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getThrown() instanceof IllegalStateException) {
                traces.add(traceInLog());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            LOGGER.removeHandler(this);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failureOfAHandlerIsInItsSpanAndLoggedThere(Bridge bridge) {
        TracedApplication in = application(bridge, ObservedTasks.ALL);
        try (FailureLines lines = new FailureLines()) {
            set(in, "fail", SHORT);
            in.time().advanceBy(SHORT);
            assertThat(in.runs()).hasSize(1);
            assertThat(in.runs().get(0).attributes())
                    .containsEntry("outcome", "ERROR")
                    .containsEntry("exception", "IllegalStateException");
            assertThat(lines.traces).containsExactly(in.runs().get(0).traceId());
        }
    }
}
