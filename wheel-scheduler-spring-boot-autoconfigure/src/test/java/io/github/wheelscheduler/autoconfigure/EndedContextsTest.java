package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.testing.ReleasedObjects;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Heartbeat;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.OverridingClassLoader;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

/** Contexts that end leave neither beans nor classes at the scheduler of another one, and may begin once more. */
class EndedContextsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ReleasedObjects released = new ReleasedObjects();

    /** A plug-in, with an exception of its own. */
    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    public static class Plugin {

        @Scheduled(fixedRate = 5)
        public void fail() {
            throw new PluginException();
        }

        @Scheduled(initialDelay = 0)
        public void once() {}
    }

    static class PluginException extends RuntimeException {

        private static final long serialVersionUID = 1;
    }

    @Test
    void classLoaderOfAPluginIsReleasedWithItsContext() {
        withScheduling().run(context -> {
            WheelTaskScheduler wheel = wheelOf(context);
            List<String> before = wheel.getTaskRegistry().ids();
            for (int i = 0; i < 3; i++) {
                runPlugin(context, wheel);
            }
            assertThat(wheel.getTaskRegistry().ids()).isEqualTo(before);
            released.awaitAll();
        });
    }

    private void runPlugin(ConfigurableApplicationContext parent, WheelTaskScheduler wheel)
            throws ClassNotFoundException {
        ClassLoader loader = new OverridingClassLoader(getClass().getClassLoader()) {
            @Override
            protected boolean isEligibleForOverriding(String name) {
                return name.startsWith(Plugin.class.getName());
            }
        };
        Class<?> plugin = loader.loadClass(Plugin.class.getName());
        assertThat(plugin).isNotSameAs(Plugin.class);
        released.watch(loader);
        try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
            child.setParent(parent);
            child.setClassLoader(loader);
            child.register(plugin);
            child.refresh();
            String id = Plugin.class.getName() + ".fail";
            await().atMost(PATIENCE)
                    .until(() -> wheel.getTaskRegistry().lastError(id).isPresent());
        }
    }

    @Test
    void contextThatIsRefreshedOnceMoreBeginsAnew() {
        try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
            context.register(SchedulingContexts.Scheduling.class);
            context.register(Configurations.getClasses(SchedulingContexts.AUTO_CONFIGURATIONS));
            context.refresh();
            List<String> ids = wheelOf(context).getTaskRegistry().ids();
            assertThat(ids).singleElement().asString().endsWith(".beat");
            for (int i = 0; i < 3; i++) {
                refreshOnceMore(context);
                assertThat(wheelOf(context).getTaskRegistry().ids()).isEqualTo(ids);
                assertThat(SchedulingContexts.threadOfScheduledMethod(context)).startsWith("scheduling-");
            }
            released.awaitAll();
        }
    }

    private void refreshOnceMore(AnnotationConfigWebApplicationContext context) {
        WheelTaskScheduler before = wheelOf(context);
        released.watch(context.getBean(Heartbeat.class));
        released.watch(context.getBeanFactory());
        context.refresh();
        assertThat(before.getWheelScheduledExecutor().isShutdown()).isTrue();
        assertThat(wheelOf(context)).isNotSameAs(before);
    }
}
