package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.testing.ReleasedObjects;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Beans of scopes and child contexts that end take their tasks with them, also those with a proxy. */
class EndedScopesTest {

    private static final String POLL = Job.class.getName() + ".poll";

    private final Tenants tenants = new Tenants();
    private final ReleasedObjects released = new ReleasedObjects();

    /** Has its beans ended by what it was given for that, as a scope should. */
    static final class Tenants implements Scope {

        private final Map<String, Map<String, Object>> beans = new HashMap<>();
        private final Map<String, Map<String, Runnable>> ends = new HashMap<>();
        private String current = "";

        void enter(String tenant) {
            current = tenant;
        }

        void end(String tenant) {
            beans.remove(tenant);
            Map<String, Runnable> ended = ends.remove(tenant);
            if (ended != null) {
                ended.values().forEach(Runnable::run);
            }
        }

        @Override
        public Object get(String name, ObjectFactory<?> factory) {
            Map<String, Object> ofTenant = beans.computeIfAbsent(current, unused -> new HashMap<>());
            Object known = ofTenant.get(name);
            if (known == null) {
                known = factory.getObject();
                ofTenant.put(name, known);
            }
            return known;
        }

        @Override
        public @Nullable Object remove(String name) {
            return null;
        }

        @Override
        public void registerDestructionCallback(String name, Runnable callback) {
            ends.computeIfAbsent(current, unused -> new HashMap<>()).put(name, callback);
        }
    }

    interface Polling {
        void poll();
    }

    public static class Job implements Polling {

        @Override
        @Scheduled(fixedRateString = "${every:1h}", initialDelay = 1, timeUnit = TimeUnit.HOURS)
        @WheelTask(jitter = "${jitter:1s}")
        public void poll() {}
    }

    /** Gives beans proxies, as transactions and metrics do. */
    @Configuration(proxyBeanMethods = false)
    static class Proxies {

        @Bean
        static DefaultAdvisorAutoProxyCreator proxies() {
            return new DefaultAdvisorAutoProxyCreator();
        }

        @Bean
        static DefaultPointcutAdvisor advisor() {
            NameMatchMethodPointcut polls = new NameMatchMethodPointcut();
            polls.setMappedName("poll");
            MethodInterceptor around = invocation -> invocation.proceed();
            return new DefaultPointcutAdvisor(polls, around);
        }
    }

    private ApplicationContextRunner withTenants() {
        return withScheduling()
                .withInitializer(context -> context.getBeanFactory().registerScope("tenant", tenants))
                .withBean("job", Job.class, Job::new, definition -> {
                    definition.setScope("tenant");
                    definition.setLazyInit(true);
                });
    }

    private static List<String> idsOfPolls(ConfigurableApplicationContext context) {
        return wheelOf(context).getTaskRegistry().ids().stream()
                .filter(id -> id.startsWith(POLL))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "JDK", "CGLIB"})
    void endedTenantTakesItsTasksWithIt(String proxy) {
        ApplicationContextRunner application = withTenants();
        if (!proxy.equals("none")) {
            application = application.withUserConfiguration(Proxies.class);
        }
        application
                .withInitializer(context -> context.addBeanFactoryPostProcessor(factory -> proxyTarget(factory, proxy)))
                .run(context -> {
                    for (String tenant : List.of("one", "two")) {
                        tenants.enter(tenant);
                        Object job = context.getBean("job");
                        assertThat(AopUtils.isAopProxy(job)).isEqualTo(!proxy.equals("none"));
                        assertThat(AopUtils.isCglibProxy(job)).isEqualTo(proxy.equals("CGLIB"));
                        released.watch(job);
                    }
                    assertThat(idsOfPolls(context)).containsExactly(POLL, POLL + "~2");
                    tenants.end("one");
                    assertThat(idsOfPolls(context)).containsExactly(POLL + "~2");
                    tenants.end("two");
                    assertThat(idsOfPolls(context)).isEmpty();
                    assertThat(context.getBean(TaskCatalog.class).declaration(POLL))
                            .isNull();
                    released.awaitAll();
                });
    }

    private static void proxyTarget(ConfigurableListableBeanFactory factory, String proxy) {
        if (proxy.equals("CGLIB")) {
            factory.getBeanDefinition("job").setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, true);
        }
    }

    @Test
    void refreshedBeanHasTheNewSettings() {
        withTenants().run(context -> {
            TaskRegistry tasks = wheelOf(context).getTaskRegistry();
            Object ignored = context.getBean("job");
            assertThat(tasks.get(POLL).schedule().text()).isEqualTo("PT1H");
            assertThat(tasks.get(POLL).settings().toMap()).containsEntry("jitter", "PT1S");

            TestPropertyValues.of("every=2h", "jitter=5s").applyTo(context);
            tenants.end("");
            assertThat(idsOfPolls(context)).isEmpty();
            Object refreshed = context.getBean("job");
            assertThat(refreshed).isNotSameAs(ignored);
            assertThat(tasks.get(POLL).schedule().text()).isEqualTo("PT2H");
            assertThat(tasks.get(POLL).settings().toMap()).containsEntry("jitter", "PT5S");
            assertThat(tasks.get(POLL).runs()).isZero();
            assertThat(idsOfPolls(context)).containsExactly(POLL);
        });
    }

    @Test
    void newBeanOfATenantHasTheNewSettingsBesideTheOldOne() {
        withTenants().run(context -> {
            TaskRegistry tasks = wheelOf(context).getTaskRegistry();
            tenants.enter("one");
            Object one = context.getBean("job");
            TestPropertyValues.of("jitter=5s").applyTo(context);
            tenants.enter("two");
            assertThat(context.getBean("job")).isNotSameAs(one);
            assertThat(tasks.get(POLL).settings().toMap()).containsEntry("jitter", "PT1S");
            assertThat(tasks.get(POLL + "~2").settings().toMap()).containsEntry("jitter", "PT5S");
        });
    }

    // Contexts

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Child {

        @Bean
        Job job() {
            return new Job();
        }

        @Bean
        Once once() {
            return new Once();
        }
    }

    public static class Once {

        @Scheduled(initialDelay = 0)
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closedChildLeavesNothingAtItsParent(boolean isConfiguredLikeTheParent) {
        withScheduling().run(parent -> {
            WheelTaskScheduler wheel = wheelOf(parent);
            List<String> before = wheel.getTaskRegistry().ids();
            runChild(parent, wheel, isConfiguredLikeTheParent);
            assertThat(wheel.getTaskRegistry().ids()).isEqualTo(before);
            assertThat(parent.getBean(TaskCatalog.class).declaration(POLL)).isNull();
            released.awaitAll();
        });
    }

    private void runChild(
            ConfigurableApplicationContext parent, WheelTaskScheduler wheel, boolean isConfiguredLikeTheParent) {
        try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
            child.setParent(parent);
            child.register(Child.class);
            if (isConfiguredLikeTheParent) {
                child.register(Configurations.getClasses(SchedulingContexts.AUTO_CONFIGURATIONS));
            }
            child.refresh();
            assertThat(child.containsLocalBean("taskScheduler")).isFalse();
            String once = Once.class.getName() + ".run";
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> wheel.getTaskRegistry()
                            .find(once)
                            .filter(EndedScopesTest::isOver)
                            .isPresent());
            assertThat(wheel.getTaskRegistry().ids()).contains(POLL);
            released.watch(child.getBean(Job.class));
            released.watch(child.getBean(Once.class));
            released.watch(child);
        }
    }

    private static boolean isOver(TaskInfo task) {
        return task.state() == TaskInfo.State.OVER;
    }
}
