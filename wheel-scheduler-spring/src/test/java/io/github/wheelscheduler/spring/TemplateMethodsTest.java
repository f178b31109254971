package io.github.wheelscheduler.spring;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.cglib.proxy.MethodInterceptor;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.PeriodicTrigger;

/**
 * A subclass overrides every method of Spring's scheduler that can be overridden: ours calls each of them that Spring's
 * own calls in the same operation.
 */
@SuppressWarnings({"deprecation", "FutureReturnValueIgnored"
}) // what is deprecated is called, too; the shutdown ends all tasks
class TemplateMethodsTest {

    private static final Duration SOON = Duration.ofMillis(5);

    /** Every operation in which a method of a subclass may be called. */
    static Stream<Arguments> operations() {
        return Stream.of(
                afterStart("getPoolSize", ThreadPoolTaskScheduler::getPoolSize),
                afterStart("getActiveCount", ThreadPoolTaskScheduler::getActiveCount),
                afterStart("isRemoveOnCancelPolicy", ThreadPoolTaskScheduler::isRemoveOnCancelPolicy),
                afterStart("getScheduledExecutor", ThreadPoolTaskScheduler::getScheduledExecutor),
                afterStart("getScheduledThreadPoolExecutor", TemplateMethodsTest::askForPool),
                afterStart("getClock", ThreadPoolTaskScheduler::getClock),
                afterStart("getPhase", ThreadPoolTaskScheduler::getPhase),
                afterStart("isRunning", ThreadPoolTaskScheduler::isRunning),
                afterStart("isAutoStartup", ThreadPoolTaskScheduler::isAutoStartup),
                afterStart("isPauseable", ThreadPoolTaskScheduler::isPauseable),
                afterStart("prefersShortLivedTasks", ThreadPoolTaskScheduler::prefersShortLivedTasks),
                afterStart("newThread", s -> s.newThread(() -> {})),
                afterStart("createThread", s -> s.createThread(() -> {})),
                afterStart("thread settings", s -> {
                    s.setThreadPriority(s.getThreadPriority());
                    s.setDaemon(s.isDaemon());
                    s.setThreadGroupName("group");
                    s.setThreadGroup(s.getThreadGroup());
                    s.setThreadNamePrefix(s.getThreadNamePrefix());
                }),
                afterStart("settings", s -> {
                    s.setPoolSize(3);
                    s.setRemoveOnCancelPolicy(true);
                    s.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
                    s.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
                    s.setErrorHandler(thrown -> {});
                    s.setTaskDecorator(task -> task);
                    s.setClock(Clock.systemUTC());
                    s.setPhase(1);
                    s.setAcceptTasksAfterContextClose(false);
                    s.setWaitForTasksToCompleteOnShutdown(false);
                    s.setAwaitTerminationSeconds(1);
                    s.setAwaitTerminationMillis(1);
                    s.setRejectedExecutionHandler(new AbortPolicy());
                    s.setApplicationContext(new StaticApplicationContext());
                    s.setBeanName("name");
                    s.setVirtualThreads(false);
                    s.setThreadFactory(Thread::new);
                }),
                runs("execute", ThreadPoolTaskScheduler::execute),
                runs("submit a runnable", ThreadPoolTaskScheduler::submit),
                runs(
                        "submit a callable",
                        (s, task) -> s.submit(() -> {
                            task.run();
                            return 1;
                        })),
                runs("submitCompletable a runnable", ThreadPoolTaskScheduler::submitCompletable),
                runs(
                        "submitCompletable a callable",
                        (s, task) -> s.submitCompletable(() -> {
                            task.run();
                            return 1;
                        })),
                runs("schedule once", (s, task) -> s.schedule(task, Instant.now())),
                runs("schedule a trigger", (s, task) -> s.schedule(task, new PeriodicTrigger(SOON))),
                runs("scheduleAtFixedRate", (s, task) -> s.scheduleAtFixedRate(task, SOON)),
                runs("scheduleAtFixedRate from", (s, task) -> s.scheduleAtFixedRate(task, Instant.now(), SOON)),
                runs("scheduleWithFixedDelay", (s, task) -> s.scheduleWithFixedDelay(task, SOON)),
                runs("scheduleWithFixedDelay from", (s, task) -> s.scheduleWithFixedDelay(task, Instant.now(), SOON)),
                argumentSet("initialize", (Operation) (s, calls) -> s.initialize()),
                argumentSet("afterPropertiesSet", (Operation) (s, calls) -> s.afterPropertiesSet()),
                afterStart("stop and start", s -> {
                    s.stop();
                    s.start();
                    s.stop(() -> {});
                }),
                afterStart("initiateShutdown", ThreadPoolTaskScheduler::initiateShutdown),
                afterStart("shutdown", ThreadPoolTaskScheduler::shutdown),
                argumentSet("shutdown with a pending task", (Operation) (s, calls) -> {
                    s.initialize();
                    // Spring's makes its thread when a task is scheduled, ours when one runs.
                    awaitThat(s.submit(() -> {})::isDone);
                    calls.clear();
                    var unused = s.schedule(() -> {}, Instant.now().plusSeconds(3_600));
                    s.shutdown();
                }),
                afterStart("destroy", ThreadPoolTaskScheduler::destroy),
                afterStart("close of the context", s -> {
                    StaticApplicationContext context = new StaticApplicationContext();
                    s.setApplicationContext(context);
                    s.onApplicationEvent(new ContextClosedEvent(context));
                }));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void sameMethodsOfASubclassAreAsked(Operation operation) {
        Set<String> asked = calls(ThreadPoolTaskScheduler.class, operation);
        assertThat(calls(WheelTaskScheduler.class, operation)).containsAll(asked);
    }

    @Test
    void everyOverridableMethodIsInAnOperation() {
        Set<String> seen = operations()
                .map(each -> (Operation) each.get()[0])
                .flatMap(each -> calls(ThreadPoolTaskScheduler.class, each).stream())
                .collect(Collectors.toSet());
        assertThat(seen).containsAll(overridable());
    }

    private static Set<String> overridable() {
        Set<String> names = new TreeSet<>();
        for (Class<?> type = ThreadPoolTaskScheduler.class; type != Object.class; type = type.getSuperclass()) {
            Stream.of(type.getDeclaredMethods())
                    .filter(TemplateMethodsTest::isOverridable)
                    .map(Method::getName)
                    .forEach(names::add);
        }
        return names;
    }

    private static boolean isOverridable(Method method) {
        int modifiers = method.getModifiers();
        return !method.isSynthetic()
                && (Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers))
                && !Modifier.isStatic(modifiers)
                && !Modifier.isFinal(modifiers);
    }

    private static Set<String> calls(Class<? extends ThreadPoolTaskScheduler> type, Operation operation) {
        Set<String> calls = new ConcurrentSkipListSet<>();
        Enhancer enhancer = new Enhancer();
        enhancer.setSuperclass(type);
        enhancer.setCallback((MethodInterceptor) (target, method, arguments, proxy) -> {
            calls.add(method.getName());
            return proxy.invokeSuper(target, arguments);
        });
        ThreadPoolTaskScheduler scheduler = (ThreadPoolTaskScheduler) enhancer.create();
        try {
            operation.play(scheduler, calls);
            return new TreeSet<>(calls);
        } finally {
            scheduler.shutdown();
        }
    }

    private static void askForPool(ThreadPoolTaskScheduler scheduler) {
        assertThat(scheduler.getScheduledThreadPoolExecutor().isShutdown()).isFalse();
    }

    private static Arguments afterStart(String name, Consumer<ThreadPoolTaskScheduler> operation) {
        return argumentSet(name, (Operation) (scheduler, calls) -> {
            scheduler.initialize();
            calls.clear();
            operation.accept(scheduler);
        });
    }

    private static Arguments runs(String name, Start start) {
        return argumentSet(name, (Operation) (scheduler, calls) -> {
            scheduler.initialize();
            calls.clear();
            CountDownLatch runs = new CountDownLatch(1);
            start.apply(scheduler, runs::countDown);
            awaitThat(() -> runs.getCount() == 0 && calls.contains("afterExecute"));
        });
    }

    interface Operation {
        void play(ThreadPoolTaskScheduler scheduler, Set<String> calls);
    }

    private interface Start {
        void apply(ThreadPoolTaskScheduler scheduler, Runnable task);
    }
}
