package io.github.wheelscheduler.spring.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Makes application contexts with a scheduler as the bean {@code taskScheduler}, and closes them after the test. */
abstract class ContextFixture extends SchedulerFixture {

    private final List<AnnotationConfigApplicationContext> contexts = new ArrayList<>();

    ContextFixture(SchedulerFactory factory) {
        super(factory);
    }

    @AfterEach
    void closeContexts() {
        // First the schedulers: a context waits for runs in progress, which a failed test has left behind.
        shutDownSchedulers();
        contexts.forEach(AnnotationConfigApplicationContext::close);
    }

    /** Returns a refreshed context with a scheduler and all that the given callback registers. */
    final AnnotationConfigApplicationContext context(
            Consumer<ThreadPoolTaskScheduler> settings, Consumer<AnnotationConfigApplicationContext> beans) {
        var context = new AnnotationConfigApplicationContext();
        contexts.add(context);
        registerScheduler(context, "taskScheduler", settings);
        beans.accept(context);
        context.refresh();
        return context;
    }

    final AnnotationConfigApplicationContext context(Consumer<ThreadPoolTaskScheduler> settings) {
        return context(settings, context -> {});
    }

    final void registerScheduler(
            AnnotationConfigApplicationContext context, String name, Consumer<ThreadPoolTaskScheduler> settings) {
        context.registerBean(name, ThreadPoolTaskScheduler.class, () -> {
            var scheduler = created();
            settings.accept(scheduler);
            return scheduler;
        });
    }

    static ThreadPoolTaskScheduler schedulerOf(AnnotationConfigApplicationContext context) {
        return context.getBean("taskScheduler", ThreadPoolTaskScheduler.class);
    }
}
