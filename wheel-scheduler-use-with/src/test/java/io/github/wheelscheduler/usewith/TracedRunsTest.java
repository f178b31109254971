package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerCustomizer;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.usewith.TracedApplication.Bridge;
import io.github.wheelscheduler.usewith.TracedApplication.Exported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.TaskUtils;

/** Each run of a task that is to be observed exports one span, which its relation to the caller's says. */
class TracedRunsTest {

    private static final Map<Bridge, Map<ObservedTasks, TracedApplication>> APPLICATIONS = new EnumMap<>(Bridge.class);

    private static TracedApplication application(Bridge bridge, ObservedTasks observe) {
        return APPLICATIONS
                .computeIfAbsent(bridge, any -> new EnumMap<>(ObservedTasks.class))
                .computeIfAbsent(
                        observe,
                        any -> new TracedApplication(
                                bridge,
                                List.of(Handling.class),
                                "wheel.scheduler.observe=" + observe.name().toLowerCase(Locale.ROOT),
                                "wheel.scheduler.groups.partner.max-size=2"));
    }

    @AfterAll
    static void close() {
        APPLICATIONS.values().forEach(each -> each.values().forEach(TracedApplication::close));
        APPLICATIONS.clear();
    }

    /** Notes what the context of the log says while an error handler is called. */
    @Configuration(proxyBeanMethods = false)
    static class Handling {

        private final List<Logged> handled = new CopyOnWriteArrayList<>();

        @Bean
        WheelSchedulerCustomizer errorHandler() {
            return scheduler -> scheduler.setErrorHandler(thrown -> {
                handled.add(Logged.now());
                TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.handleError(thrown);
            });
        }
    }

    /** Notes the same while a failure is logged. */
    private static final class FailureLog extends Handler implements AutoCloseable {

        private static final Logger ROOT = Logger.getLogger("");

        private final List<Logged> lines = new CopyOnWriteArrayList<>();

        FailureLog() {
            ROOT.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getThrown() instanceof IllegalStateException) {
                lines.add(Logged.now());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            ROOT.removeHandler(this);
        }
    }

    enum Relation {
        ROOT,
        CHILD,
        LINK
    }

    /** A way to schedule a task, which gets the name that it is to have. */
    enum Way {
        NOW(false, Relation.CHILD) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().schedule(task, in.time().now());
            }
        },
        NOW_BY_A_NAMED_TASK(true, Relation.CHILD) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().schedule(new Named(name, task), in.time().now());
            }
        },
        NOW_WITH_A_NAME(true, Relation.CHILD) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().getTaskRegistry().schedule(name, task, once(in, Duration.ZERO));
            }
        },
        IN_A_SECOND(false, Relation.CHILD) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().schedule(task, in.time().now().plusSeconds(1));
            }
        },
        IN_A_SECOND_WITH_A_NAME(true, Relation.CHILD) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().getTaskRegistry().schedule(name, task, once(in, Duration.ofSeconds(1)));
            }
        },
        IN_A_MINUTE(false, Relation.LINK) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().schedule(task, in.time().now().plusSeconds(60));
            }
        },
        IN_A_MINUTE_WITH_A_NAME(true, Relation.LINK) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().getTaskRegistry().schedule(name, task, once(in, Duration.ofMinutes(1)));
            }
        },
        IN_A_GROUP(false, Relation.LINK) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.group("partner").schedule(task, in.time().now().plusSeconds(60));
            }
        },
        AT_A_RATE(false, Relation.ROOT) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().scheduleAtFixedRate(task, Duration.ofSeconds(30));
            }
        },
        AT_A_RATE_WITH_A_NAME(true, Relation.ROOT) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler()
                        .getTaskRegistry()
                        .schedule(name, task, TaskSchedule.fixedRate(Duration.ofSeconds(30)));
            }
        },
        WITH_A_DELAY(false, Relation.ROOT) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return in.scheduler().scheduleWithFixedDelay(task, Duration.ofSeconds(30));
            }
        },
        BY_CRON(false, Relation.ROOT) {
            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                return Objects.requireNonNull(in.scheduler().schedule(task, new CronTrigger("*/30 * * * * *")));
            }
        },
        BY_HAND(true, Relation.LINK) {
            @Override
            void prepare(TracedApplication in, String name, Runnable task) {
                Future<?> ignored =
                        in.scheduler().getTaskRegistry().schedule(name, task, TaskSchedule.cron("0 0 0 1 1 *"));
            }

            @Override
            Future<?> schedule(TracedApplication in, String name, Runnable task) {
                in.scheduler().getTaskRegistry().trigger(name);
                return CompletableFuture.completedFuture(null);
            }
        };

        private final boolean isNamed;
        private final Relation relation;

        Way(boolean isNamed, Relation relation) {
            this.isNamed = isNamed;
            this.relation = relation;
        }

        void prepare(TracedApplication in, String name, Runnable task) {}

        abstract Future<?> schedule(TracedApplication in, String name, Runnable task);

        private static TaskSchedule once(TracedApplication in, Duration delay) {
            return TaskSchedule.once(in.time().now().plus(delay));
        }

        boolean isObservedBy(ObservedTasks observe) {
            return observe == ObservedTasks.ALL || (isNamed && observe == ObservedTasks.NAMED);
        }
    }

    private record Named(String taskName, Runnable task) implements Runnable, NamedTask {

        @Override
        public void run() {
            task.run();
        }
    }

    static Stream<Arguments> cells() {
        return Stream.of(Bridge.values())
                .flatMap(bridge -> Stream.of(ObservedTasks.values())
                        .flatMap(observe -> Stream.of(Way.values())
                                .flatMap(way -> Stream.of(true, false)
                                        .map(inside -> Arguments.of(bridge, observe, way, inside)))));
    }

    /** What the context of the log says while a task runs. */
    private record Logged(
            @Nullable String traceId, @Nullable String spanId) {

        static Logged now() {
            return new Logged(MDC.get("traceId"), MDC.get("spanId"));
        }
    }

    @ParameterizedTest
    @MethodSource("cells")
    void runExportsOneSpanThatNamesItsCaller(Bridge bridge, ObservedTasks observe, Way way, boolean isInSpan) {
        TracedApplication in = application(bridge, observe);
        in.forgetSpans();
        List<Logged> logged = new CopyOnWriteArrayList<>();
        String name = way.name() + isInSpan;
        Runnable task = () -> logged.add(Logged.now());
        way.prepare(in, name, task);
        List<Future<?>> futures = new ArrayList<>();
        Runnable call = () -> futures.add(way.schedule(in, name, task));
        if (isInSpan) {
            in.request(call);
        } else {
            call.run();
        }
        in.time().advanceBy(Duration.ofSeconds(75));
        futures.forEach(future -> future.cancel(false));

        boolean isRepeating = way.relation == Relation.ROOT;
        assertThat(logged).as("runs").hasSizeBetween(isRepeating ? 2 : 1, isRepeating ? 3 : 1);
        if (!way.isObservedBy(observe)) {
            assertThat(in.runs()).isEmpty();
            assertThat(logged).allSatisfy(each -> assertThat(each.traceId()).isNull());
            return;
        }
        assertThat(in.runs()).hasSameSizeAs(logged).allSatisfy(span -> {
            assertThat(span.name()).isEqualTo(way.isNamed ? "run " + name : "run task");
            assertThat(span.kind()).isEqualTo("INTERNAL");
            assertThat(span.attributes())
                    .containsEntry("trigger", way == Way.BY_HAND ? "BY_HAND" : "SCHEDULE")
                    .containsEntry("scheduler", way == Way.IN_A_GROUP ? "partner" : "taskScheduler")
                    .containsEntry("outcome", "SUCCESS")
                    .containsKey("task.id");
            assertRelation(isInSpan ? way.relation : Relation.ROOT, span, isInSpan ? in.request() : null, bridge);
        });
        assertThat(logged)
                .containsExactlyElementsOf(in.runs().stream()
                        .map(span -> new Logged(span.traceId(), span.spanId()))
                        .toList());
        assertThat(in.runs().stream().map(Exported::traceId).distinct()).hasSameSizeAs(logged);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void failureIsHandledAndLoggedInTheSpan(Bridge bridge, ObservedTasks observe, Way way, boolean isInSpan) {
        TracedApplication in = application(bridge, observe);
        in.forgetSpans();
        List<Logged> handled = in.bean(Handling.class).handled;
        handled.clear();
        List<Logged> ran = new CopyOnWriteArrayList<>();
        String name = "fails" + way.name() + isInSpan;
        Runnable task = () -> {
            ran.add(Logged.now());
            throw new IllegalStateException("on purpose");
        };
        way.prepare(in, name, task);
        List<Future<?>> futures = new ArrayList<>();
        Runnable call = () -> futures.add(way.schedule(in, name, task));
        try (FailureLog log = new FailureLog()) {
            if (isInSpan) {
                in.request(call);
            } else {
                call.run();
            }
            in.time().advanceBy(Duration.ofSeconds(75));
            futures.forEach(future -> future.cancel(false));
            assertThat(ran).isNotEmpty();
            assertThat(handled).as("error handler").containsExactlyElementsOf(ran);
            assertThat(log.lines).as("log").containsExactlyElementsOf(ran);
        }
        assertThat(Logged.now()).as("afterwards").isEqualTo(new Logged(null, null));
        if (way.isObservedBy(observe)) {
            assertThat(in.runs())
                    .hasSameSizeAs(ran)
                    .allSatisfy(span -> assertThat(span.attributes())
                            .containsEntry("outcome", "ERROR")
                            .containsEntry("exception", "IllegalStateException"));
            assertThat(ran)
                    .containsExactlyElementsOf(in.runs().stream()
                            .map(span -> new Logged(span.traceId(), span.spanId()))
                            .toList());
        } else {
            assertThat(in.runs()).isEmpty();
            assertThat(ran).containsOnly(new Logged(null, null));
        }
    }

    private static void assertRelation(Relation relation, Exported span, @Nullable Exported caller, Bridge bridge) {
        if (relation == Relation.CHILD && caller != null) {
            assertThat(span.traceId()).isEqualTo(caller.traceId());
            assertThat(span.parentId()).isEqualTo(caller.spanId());
            assertThat(span.links()).isEmpty();
            if (bridge == Bridge.OPEN_TELEMETRY) {
                assertThat(span.attributes()).containsEntry("parent.remote", "true");
            }
            return;
        }
        assertThat(span.parentId()).isEmpty();
        assertThat(span.links())
                .isEqualTo(relation == Relation.LINK && caller != null ? List.of(caller.link()) : List.of());
        if (caller != null) {
            assertThat(span.traceId()).isNotEqualTo(caller.traceId());
        }
    }
}
