package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.awaitReturned;
import static io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.failedRuns;
import static io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.idOf;
import static io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.observed;
import static io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.task;
import static io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.tasksOf;
import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.Controlled;
import io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.Delayed;
import io.github.wheelscheduler.autoconfigure.ReactiveRunsTest.Hourly;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An interrupt cancels the subscriptions of runs of reactive methods, and meets no other run. */
class ReactiveInterruptTest {

    private static int interrupt(ApplicationContext context, Class<?> bean) {
        return tasksOf(context).interrupt(idOf(bean));
    }

    private static void assertIdle(ApplicationContext context, Class<?> bean) {
        awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
        TaskInfo seen = task(context, bean);
        assertThat(seen.state()).isEqualTo(TaskInfo.State.PENDING);
        assertThat(seen.runningSince()).isNull();
        assertThat(seen.runs()).isZero();
        assertThat(seen.failures()).isZero();
        assertThat(failedRuns(context)).isZero();
        assertThatIllegalStateException()
                .isThrownBy(() -> interrupt(context, bean))
                .withMessageStartingWith("The task must be running to be interrupted");
    }

    @Test
    void interruptCancelsTheSubscriptionOfAReturnedRun() {
        observed(Hourly.class).run(context -> {
            Hourly bean = context.getBean(Hourly.class);
            awaitReturned(context, Hourly.class, 1);
            assertThat(interrupt(context, Hourly.class)).isEqualTo(1);
            assertThat(bean.ends.get(0).isCancelled()).isTrue();
            assertIdle(context, Hourly.class);
            assertThat(observedOutcomes(context, Hourly.class)).containsExactly("ERROR CancellationException");

            tasksOf(context).trigger(idOf(Hourly.class));
            awaitReturned(context, Hourly.class, 2);
            bean.succeed(1);
            assertThat(task(context, Hourly.class).runs()).isEqualTo(1);
            assertThat(task(context, Hourly.class).failures()).isZero();
        });
    }

    private static List<String> observedOutcomes(ApplicationContext context, Class<?> bean) {
        return context
                .getBean(MeterRegistry.class)
                .find("tasks.scheduled.execution")
                .tag("code.namespace", bean.getCanonicalName())
                .timers()
                .stream()
                .map(timer ->
                        timer.getId().getTag("outcome") + " " + timer.getId().getTag("exception"))
                .toList();
    }

    @Test
    void interruptEndsTheWaitOfAFixedDelay() {
        observed(Delayed.class).run(context -> {
            Delayed bean = context.getBean(Delayed.class);
            for (int run = 0; run < 3; run++) {
                int before = run;
                awaitThat(() -> assertThat(bean.ends).hasSize(before + 1));
                assertThat(interrupt(context, Delayed.class)).isEqualTo(1);
                assertThat(bean.ends.get(run).isCancelled()).isTrue();
            }
            awaitThat(() -> assertThat(bean.ends).hasSize(4));
            assertThat(bean.ends.get(3).isCancelled()).isFalse();
            bean.succeed(3);
            awaitThat(() -> assertThat(task(context, Delayed.class).runs()).isEqualTo(1));
            assertThat(task(context, Delayed.class).failures()).isZero();
        });
    }

    @Test
    void placeInAGroupIsFreeOnceARunIsInterrupted() {
        observed(Narrow.class)
                .withPropertyValues("wheel.scheduler.groups.narrow.max-size=1")
                .run(context -> {
                    Narrow bean = context.getBean(Narrow.class);
                    awaitThat(() -> assertThat(bean.ends).hasSize(1));
                    int before = bean.other.get();
                    WheelTaskScheduler group = context.getBean("narrow", WheelTaskScheduler.class);
                    assertThat(group.getTaskRegistry().interrupt(idOf(Narrow.class)))
                            .isEqualTo(1);
                    awaitThat(() -> assertThat(bean.other).hasValueGreaterThan(before));
                });
    }

    @Test
    void publisherThatIgnoresItsCancellationHasEnded() {
        observed(Deaf.class).run(context -> {
            Deaf bean = context.getBean(Deaf.class);
            awaitReturned(context, Deaf.class, 1);
            assertThat(interrupt(context, Deaf.class)).isEqualTo(1);
            assertIdle(context, Deaf.class);
            bean.subscribers.get(0).onNext("late");
            bean.subscribers.get(0).onComplete();
            assertIdle(context, Deaf.class);
        });
    }

    /** The publisher is subscribed to on the thread of the run. */
    @Test
    void interruptBeforeARunIsSubscribedToCancelsIt() {
        observed(Slow.class).run(context -> {
            Slow bean = context.getBean(Slow.class);
            awaitThat(() -> assertThat(bean.arrivals).hasValue(1));
            assertThat(interrupt(context, Slow.class)).isEqualTo(1);
            awaitThat(() -> assertThat(bean.cancels).hasValue(1));
            assertThat(bean.interrupts).hasValue(1);
            assertIdle(context, Slow.class);
        });
    }

    @Test
    void subscriptionsWithinARunAreNotTakenForIt() {
        observed(Nested.class).run(context -> {
            Nested bean = context.getBean(Nested.class);
            awaitReturned(context, Nested.class, 1);
            assertThat(bean.inner).hasValue(1);
            assertThat(interrupt(context, Nested.class)).isEqualTo(1);
            assertThat(bean.ends.get(0).isCancelled()).isTrue();
            assertIdle(context, Nested.class);
        });
    }

    @Test
    void eachRunIsEitherCountedOrInterrupted() {
        ExecutorService others = Executors.newSingleThreadExecutor();
        observed(Hourly.class).run(context -> {
            Hourly bean = context.getBean(Hourly.class);
            int interrupted = 0;
            for (int run = 0; run < 300; run++) {
                if (run > 0) {
                    tasksOf(context).trigger(idOf(Hourly.class));
                }
                awaitReturned(context, Hourly.class, run + 1);
                awaitThat(() -> assertThat(wheelOf(context).getActiveCount()).isZero());
                others.execute(bean.ends.get(run)::complete);
                try {
                    interrupted += interrupt(context, Hourly.class);
                } catch (IllegalStateException ex) {
                    // It has completed before.
                }
                awaitThat(() ->
                        assertThat(task(context, Hourly.class).runningSince()).isNull());
                assertThat(task(context, Hourly.class).runs() + interrupted).isEqualTo(run + 1);
            }
            assertThat(task(context, Hourly.class).failures()).isZero();
        });
        others.shutdown();
    }

    @Test
    void hookIsGoneOnceItsContextIsClosed() throws Exception {
        AtomicReference<ReactiveRuns> runs = new AtomicReference<>();
        observed(Hourly.class).run(context -> {
            runs.set(context.getBean(ReactiveRuns.class));
            awaitReturned(context, Hourly.class, 1);
            assertThat(isHooked(runs.get())).isTrue();
        });
        assertThat(isHooked(runs.get())).isFalse();
    }

    @Test
    void runThatBeginsWhileItsContextClosesLeavesNoHook() {
        observed(Hourly.class).run(context -> {
            ReactiveRuns runs = context.getBean(ReactiveRuns.class);
            awaitReturned(context, Hourly.class, 1);
            runs.destroy();
            tasksOf(context).trigger(idOf(Hourly.class));
            awaitReturned(context, Hourly.class, 2);
            assertThat(isHooked(runs)).isFalse();
        });
    }

    private static boolean isHooked(ReactiveRuns runs) throws ReflectiveOperationException {
        Method hooks = Hooks.class.getDeclaredMethod("getOnLastOperatorHooks");
        hooks.setAccessible(true);
        return ((Map<?, ?>) hooks.invoke(null))
                .containsKey(ReactiveRuns.class.getName() + "@" + System.identityHashCode(runs));
    }

    static class Narrow extends Controlled {

        final AtomicInteger other = new AtomicInteger();

        @Scheduled(fixedDelay = 3_600_000, scheduler = "narrow")
        Mono<Void> run() {
            return controlled().then();
        }

        @Scheduled(fixedRate = 10, scheduler = "narrow")
        void other() {
            other.incrementAndGet();
        }
    }

    static class Deaf extends Controlled {

        final List<Subscriber<? super String>> subscribers = new CopyOnWriteArrayList<>();

        @Scheduled(fixedRate = 3_600_000)
        Publisher<String> run() {
            return subscriber -> {
                subscribers.add(subscriber);
                subscriber.onSubscribe(new Subscription() {
                    @Override
                    public void request(long number) {}

                    @Override
                    public void cancel() {}
                });
                controlled().subscribe();
            };
        }
    }

    static class Slow {

        final AtomicInteger arrivals = new AtomicInteger();
        final AtomicInteger interrupts = new AtomicInteger();
        final AtomicInteger cancels = new AtomicInteger();

        @Scheduled(fixedRate = 3_600_000)
        Mono<String> run() {
            return Mono.defer(() -> {
                arrivals.incrementAndGet();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException ex) {
                    interrupts.incrementAndGet();
                }
                return Mono.<String>never().doOnCancel(cancels::incrementAndGet);
            });
        }
    }

    static class Nested extends Controlled {

        final AtomicInteger inner = new AtomicInteger();

        @Scheduled(fixedRate = 3_600_000)
        Flux<String> run() {
            return Flux.defer(() -> {
                Integer one =
                        Flux.just(1).subscribeOn(Schedulers.boundedElastic()).blockLast(Duration.ofSeconds(30));
                inner.addAndGet(one == null ? 0 : one);
                return controlled();
            });
        }
    }
}
