package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.workerLimitOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Scheduling;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ConcurrentTaskScheduler;
import org.springframework.scheduling.concurrent.ScheduledExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** When the wheel is there, and what it leaves alone. */
class WheelSchedulerAutoConfigurationTest {

    @Test
    void scheduledMethodsRunOnTheWheel() {
        withScheduling()
                .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-")
                .run(context -> {
                    assertThat(context).getBean(TaskScheduler.class).isExactlyInstanceOf(WheelTaskScheduler.class);
                    assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
                });
    }

    @Test
    void wheelIsInjectedAsAnyOfItsTypes() {
        withScheduling().withBean(Injected.class).run(context -> {
            Injected injected = context.getBean(Injected.class);
            assertThat(List.of(injected.plain, injected.pool, injected.wheel)).containsOnly(wheelOf(context));
        });
    }

    @Test
    void applicationWithoutSchedulingHasNoWheel() {
        withoutScheduling()
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(TaskScheduler.class)
                        .doesNotHaveBean(FrameworkSchedulers.class));
    }

    @Test
    void switchingOffGivesBootsSchedulerBack() {
        withScheduling()
                .withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> assertThat(context)
                        .getBean("taskScheduler")
                        .isExactlyInstanceOf(ThreadPoolTaskScheduler.class));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OwnTaskScheduler.class,
                OwnTaskSchedulerOfThatName.class,
                OwnSchedulerBehindAScopedProxy.class,
                OwnExecutorService.class,
                OwnExecutorServiceOfAFactory.class
            })
    void aSchedulerOfTheApplicationKeepsTheWheelAway(Class<?> configuration) {
        withScheduling()
                .withUserConfiguration(configuration)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(WheelTaskScheduler.class)
                        .doesNotHaveBean(FrameworkSchedulers.class));
    }

    @ParameterizedTest
    @ValueSource(classes = {SchedulerForQualifiersOnly.class, SchedulerThatIsNotInjected.class})
    void aSchedulerNotInjectedByItsTypeDoesNotKeepTheWheelAway(Class<?> configuration) {
        withScheduling()
                .withUserConfiguration(configuration)
                .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-")
                .run(context -> {
                    assertThat(wheelOf(context)).isNotNull();
                    assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
                });
    }

    @Test
    void springLooksForNoListenersInTheWheel() {
        new ApplicationContextRunner()
                .withUserConfiguration(JobsApplication.class)
                .run(context -> assertThat(
                                AutoProxyUtils.determineTargetClass(context.getBeanFactory(), "taskScheduler"))
                        .isSameAs(ThreadPoolTaskScheduler.class));
    }

    @Test
    void replacedSchedulerHearsEvents() {
        withScheduling()
                .withUserConfiguration(PutInPlace.class)
                .run(context -> assertThat(context.getBean(ListeningScheduler.class).heard)
                        .isTrue());
    }

    @Test
    void asyncMethodsStayOnTheApplicationTaskExecutor() {
        withScheduling()
                .withUserConfiguration(AsyncMethods.class)
                .withPropertyValues(
                        "spring.task.execution.thread-name-prefix=async-",
                        "spring.task.scheduling.thread-name-prefix=wheel-")
                .run(context -> {
                    assertThat(context).hasBean(TaskExecutionAutoConfiguration.APPLICATION_TASK_EXECUTOR_BEAN_NAME);
                    Mailer mailer = context.getBean(Mailer.class);
                    assertThat(mailer.send().orTimeout(30, TimeUnit.SECONDS).join())
                            .startsWith("async-");
                });
    }

    @Test
    void scheduledMethodsRunThoughBeansAreLazy() {
        withScheduling()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-")
                .run(context -> {
                    assertThat(context.getBeanFactory()
                                    .getBeanDefinition("taskScheduler")
                                    .isLazyInit())
                            .isTrue();
                    assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
                });
    }

    @Test
    void childContextUsesTheWheelOfItsParent() {
        withScheduling()
                .run(parent -> withScheduling().withParent(parent).run(child -> {
                    assertThat(child.getBeansOfType(TaskScheduler.class)).isEmpty();
                    assertThat(child.getBean(TaskScheduler.class)).isSameAs(wheelOf(parent));
                    assertThat(threadOfScheduledMethod(child)).isNotEmpty();
                }));
    }

    @Test
    void childUsesThePrimaryWheelOfItsParent() {
        new ApplicationContextRunner()
                .withBean(
                        "a",
                        WheelTaskScheduler.class,
                        WheelTaskScheduler::new,
                        (BeanDefinition definition) -> definition.setPrimary(true))
                .withBean("b", WheelTaskScheduler.class)
                .run(parent -> withScheduling().withParent(parent).run(child -> {
                    assertThat(child.getBeansOfType(TaskScheduler.class)).isEmpty();
                    assertThat(threadOfScheduledMethod(child)).startsWith("a-");
                }));
    }

    @Test
    void childUsesItsOnlyWheelBesideThatOfItsParent() {
        new ApplicationContextRunner()
                .withBean("a", WheelTaskScheduler.class)
                .run(parent -> withScheduling()
                        .withParent(parent)
                        .withBean("b", WheelTaskScheduler.class)
                        .run(child -> {
                            assertThat(child.getBeansOfType(TaskScheduler.class))
                                    .containsOnlyKeys("b");
                            assertThat(threadOfScheduledMethod(child)).startsWith("b-");
                        }));
    }

    @Test
    void childHasAWheelIfItsParentPrefersNone() {
        new ApplicationContextRunner()
                .withBean("a", WheelTaskScheduler.class)
                .withBean("b", WheelTaskScheduler.class)
                .run(parent -> withScheduling()
                        .withParent(parent)
                        .run(child -> assertThat(child.getBeansOfType(TaskScheduler.class))
                                .containsOnlyKeys("taskScheduler")));
    }

    @Test
    void childOfANonSchedulingParentHasItsOwnWheel() {
        withoutScheduling()
                .run(parent -> withScheduling().withParent(parent).run(child -> {
                    assertThat(child.getBeansOfType(TaskScheduler.class)).containsOnlyKeys("taskScheduler");
                    assertThat(workerLimitOf(child)).isEqualTo(256);
                }));
    }

    @Test
    void contextsDoNotShareTheirWheels() {
        withScheduling()
                .run(one -> withScheduling().run(other -> {
                    assertThat(wheelOf(one)).isNotSameAs(wheelOf(other));
                    other.close();
                    assertThat(CompletableFuture.runAsync(() -> {}, wheelOf(one))
                                    .orTimeout(30, TimeUnit.SECONDS))
                            .succeedsWithin(30, TimeUnit.SECONDS);
                }));
    }

    @Test
    void closingTheContextStopsTheWheel() {
        withScheduling().run(context -> {
            WheelTaskScheduler wheel = wheelOf(context);
            context.close();
            assertThat(wheel.getScheduledExecutor().isShutdown()).isTrue();
        });
    }

    @Test
    void neitherMicrometerNorTheActuatorIsNeeded() {
        withScheduling()
                .withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.actuate"))
                .run(context -> assertThat(threadOfScheduledMethod(context)).isNotEmpty());
    }

    @Test
    void wheelWorksWithoutBootsSchedulerConfiguration() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        WheelTaskSchedulerBuilderAutoConfiguration.class, WheelSchedulerAutoConfiguration.class))
                .withUserConfiguration(Scheduling.class)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(ThreadPoolTaskSchedulerBuilder.class);
                    assertThat(threadOfScheduledMethod(context)).isNotEmpty();
                });
    }

    @Test
    void conditionReportNamesTheApplicationsScheduler() {
        List<String> messages = new ArrayList<>();
        withScheduling()
                .withUserConfiguration(OwnTaskScheduler.class)
                .run(context -> messages.addAll(reasons(context)));
        assertThat(messages).anyMatch(message -> message.contains("the application has the scheduler 'ownScheduler'"));
    }

    private static List<String> reasons(AssertableApplicationContext context) {
        List<String> messages = new ArrayList<>();
        ConditionEvaluationReport.get(context.getBeanFactory())
                .getConditionAndOutcomesBySource()
                .get(WheelSchedulerAutoConfiguration.class.getName())
                .forEach(outcome -> messages.add(outcome.getOutcome().getMessage()));
        return messages;
    }

    static class Injected {

        private final TaskScheduler plain;
        private final ThreadPoolTaskScheduler pool;
        private final WheelTaskScheduler wheel;

        Injected(TaskScheduler plain, ThreadPoolTaskScheduler pool, WheelTaskScheduler wheel) {
            this.plain = plain;
            this.pool = pool;
            this.wheel = wheel;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTaskScheduler {

        @Bean
        TaskScheduler ownScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTaskSchedulerOfThatName {

        @Bean
        TaskScheduler taskScheduler() {
            return new ConcurrentTaskScheduler(Executors.newSingleThreadScheduledExecutor());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnSchedulerBehindAScopedProxy {

        @Bean
        @Scope(value = "singleton", proxyMode = ScopedProxyMode.INTERFACES)
        TaskScheduler ownScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutorService {

        @Bean(destroyMethod = "shutdownNow")
        ScheduledExecutorService ownExecutor() {
            return Executors.newSingleThreadScheduledExecutor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutorServiceOfAFactory {

        @Bean
        ScheduledExecutorFactoryBean ownExecutor() {
            return new ScheduledExecutorFactoryBean();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SchedulerForQualifiersOnly {

        @Bean(defaultCandidate = false)
        TaskScheduler ownScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SchedulerThatIsNotInjected {

        @Bean(autowireCandidate = false)
        TaskScheduler ownScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncMethods {

        @Bean
        Mailer mailer() {
            return new Mailer();
        }
    }

    static class Mailer {

        @Async
        CompletableFuture<String> send() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }

    static class ListeningScheduler extends WheelTaskScheduler {
        private boolean heard;

        @EventListener
        void hear(ContextRefreshedEvent event) {
            heard = true;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PutInPlace {

        @Bean
        static BeanDefinitionRegistryPostProcessor putInPlace() {
            return registry -> {
                registry.removeBeanDefinition("taskScheduler");
                registry.registerBeanDefinition("taskScheduler", new RootBeanDefinition(ListeningScheduler.class));
            };
        }
    }
}
