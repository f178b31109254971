package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.AUTO_CONFIGURATIONS;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.threadOfScheduledMethod;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withoutScheduling;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Scheduling;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.integration.autoconfigure.IntegrationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.websocket.autoconfigure.servlet.WebSocketMessagingAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.garden.GardenApplication;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.Pollers;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.messaging.support.ExecutorSubscribableChannel;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.socket.config.annotation.DelegatingWebSocketMessageBrokerConfiguration;
import org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;

/** The wheel lives beside schedulers that frameworks register for themselves. */
class FrameworkSchedulersTest {

    private static final WebApplicationContextRunner WEB = new WebApplicationContextRunner()
            .withConfiguration(AUTO_CONFIGURATIONS)
            .withConfiguration(AutoConfigurations.of(WebSocketMessagingAutoConfiguration.class))
            .withUserConfiguration(Scheduling.class)
            .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-");

    private static final WebApplicationContextRunner WEB_SOCKET = WEB.withUserConfiguration(Broker.class);

    private static final ApplicationContextRunner INTEGRATION = withScheduling()
            .withConfiguration(AutoConfigurations.of(IntegrationAutoConfiguration.class))
            .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-");

    @Test
    void scheduledMethodsRunOnTheWheelBesideWebSocket() {
        WEB_SOCKET.run(context -> {
            assertThat(context).hasNotFailed().hasBean("messageBrokerTaskScheduler");
            assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
        });
    }

    @Test
    void plainTaskSchedulerIsTheWheelBesideWebSocket() {
        WEB_SOCKET.withBean(PlainInjection.class).run(context -> {
            assertThat(context.getBean(PlainInjection.class).scheduler).isSameAs(wheelOf(context));
            assertThat(context.getBean(TaskScheduler.class)).isSameAs(wheelOf(context));
        });
    }

    @Test
    void schedulerOfWebSocketIsFoundByItsQualifier() {
        WEB_SOCKET
                .withBean(QualifiedInjection.class)
                .run(context -> assertThat(context.getBean(QualifiedInjection.class).scheduler)
                        .isSameAs(context.getBean("messageBrokerTaskScheduler"))
                        .isNotInstanceOf(WheelTaskScheduler.class));
    }

    @Test
    void channelsOfWebSocketDoNotMoveToTheWheel() {
        WEB_SOCKET.run(context -> assertThat(context.getBean("clientInboundChannel", ExecutorSubscribableChannel.class)
                        .getExecutor())
                .isNotSameAs(wheelOf(context))
                .isSameAs(context.getBean("clientInboundChannelExecutor")));
    }

    @Test
    void channelsRunOnTheBrokersExecutorBesideIntegration() {
        WebApplicationContextRunner both =
                WEB_SOCKET.withConfiguration(AutoConfigurations.of(IntegrationAutoConfiguration.class));
        both.run(context -> assertThat(context.getBean("clientInboundChannel", ExecutorSubscribableChannel.class)
                        .getExecutor())
                .isSameAs(context.getBean("clientInboundChannelExecutor")));
        both.withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> assertThat(context.getBean("clientInboundChannel", ExecutorSubscribableChannel.class)
                                .getExecutor())
                        .isSameAs(context.getBean("taskScheduler"))
                        .isExactlyInstanceOf(ThreadPoolTaskScheduler.class));
    }

    @Test
    void webSocketChannelsStayOnTheApplicationsExecutor() {
        WEB_SOCKET
                .withUserConfiguration(OwnExecutor.class)
                .run(context -> assertThat(context.getBean("clientInboundChannel", ExecutorSubscribableChannel.class)
                                .getExecutor())
                        .isSameAs(context.getBean("ownExecutor")));
    }

    @Test
    void brokerSchedulerOfTheApplicationIsStillTheBrokers() {
        WEB.withUserConfiguration(OwnBrokerSetup.class).run(context -> {
            assertThat(context.getBean("messageBrokerTaskScheduler", ThreadPoolTaskScheduler.class)
                            .getThreadNamePrefix())
                    .isEqualTo("own-");
            assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
        });
    }

    @Test
    void roleOfASchedulerSaysNothing() {
        RootBeanDefinition added = new RootBeanDefinition(ThreadPoolTaskScheduler.class);
        added.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        withScheduling()
                .withInitializer(context -> ((BeanDefinitionRegistry) context.getBeanFactory())
                        .registerBeanDefinition("messageBrokerScheduler", added))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WheelTaskScheduler.class));
    }

    @Test
    void ownXmlSchedulerIsInjectedAsWithBootAlone() {
        withScheduling()
                .withUserConfiguration(SchedulerRows.ImportsXml.class)
                .withBean(PlainInjection.class)
                .run(context -> assertThat(context.getBean(PlainInjection.class).scheduler)
                        .isSameAs(context.getBean("xmlScheduler"))
                        .isNotInstanceOf(WheelTaskScheduler.class));
    }

    @Test
    void schedulerAddedLaterLeavesMethodsOnTheWheel() {
        withScheduling()
                .withPropertyValues("spring.task.scheduling.thread-name-prefix=wheel-")
                .withUserConfiguration(AddedByPostProcessor.class)
                .run(context -> {
                    assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
                    assertThat(context.getBeanFactory()
                                    .getBeanDefinition("addedTaskScheduler")
                                    .isFallback())
                            .isFalse();
                });
    }

    @Test
    void infrastructureSchedulerMayBeTheApplications() {
        withScheduling()
                .withUserConfiguration(OwnInfrastructure.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WheelTaskScheduler.class));
    }

    @Test
    void webSocketIsLeftAloneWithoutTheWheel() {
        WEB_SOCKET
                .withPropertyValues("wheel.scheduler.enabled=false")
                .run(context -> assertThat(context.getBeanFactory()
                                .getBeanDefinition("messageBrokerTaskScheduler")
                                .isFallback())
                        .isFalse());
    }

    @Test
    void schedulerOfTheApplicationWinsBesideWebSocketToo() {
        WEB_SOCKET
                .withBean("ownScheduler", TaskScheduler.class, ThreadPoolTaskScheduler::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WheelTaskScheduler.class));
    }

    @Test
    void schedulerInAPackageOfSpringsIsTheApplications() {
        withScheduling()
                .withUserConfiguration(GardenApplication.Packages.class, GardenApplication.Schedulers.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WheelTaskScheduler.class));
    }

    @Test
    void brokersSchedulerIsStillTheFrameworks() {
        WEB_SOCKET
                .withUserConfiguration(GardenApplication.Packages.class)
                .run(context -> assertThat(context.getBean(TaskScheduler.class)).isSameAs(wheelOf(context)));
    }

    @Test
    void integrationPollsOnTheWheel() {
        INTEGRATION.withUserConfiguration(Polling.class).run(context -> {
            assertThat(context.getBeansOfType(TaskScheduler.class)).containsOnlyKeys("taskScheduler");
            assertThat(threadOfScheduledMethod(context)).startsWith("wheel-");
            Polling polling = context.getBean(Polling.class);
            context.getBean("in", QueueChannel.class).send(new GenericMessage<>("work"));
            assertThat(polling.done.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(polling.thread).startsWith("wheel-");
        });
    }

    @Test
    void integrationWithoutScheduledKeepsBootsScheduler() {
        withoutScheduling()
                .withConfiguration(AutoConfigurations.of(IntegrationAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean("taskScheduler")
                        .isExactlyInstanceOf(ThreadPoolTaskScheduler.class));
    }

    @Test
    void childContextTakesNoIntegrationScheduler() {
        withoutScheduling()
                .withConfiguration(AutoConfigurations.of(IntegrationAutoConfiguration.class))
                .run(parent -> withScheduling()
                        .withParent(parent)
                        .run(child -> assertThat(wheelOf(child)).isNotSameAs(parent.getBean("taskScheduler"))));
    }

    static class PlainInjection {

        private final TaskScheduler scheduler;

        PlainInjection(TaskScheduler scheduler) {
            this.scheduler = scheduler;
        }
    }

    static class QualifiedInjection {

        private final TaskScheduler scheduler;

        QualifiedInjection(@Qualifier("messageBrokerTaskScheduler") TaskScheduler scheduler) {
            this.scheduler = scheduler;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSocketMessageBroker
    static class Broker implements WebSocketMessageBrokerConfigurer {

        @Override
        public void configureMessageBroker(MessageBrokerRegistry registry) {
            registry.enableSimpleBroker("/topic");
        }

        @Override
        public void registerStompEndpoints(StompEndpointRegistry registry) {
            registry.addEndpoint("/ws");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnExecutor {

        @Bean
        AsyncTaskExecutor ownExecutor() {
            return new SimpleAsyncTaskExecutor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AddedByPostProcessor implements BeanFactoryPostProcessor, Ordered {

        @Override
        public int getOrder() {
            return 0;
        }

        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
            RootBeanDefinition added = new RootBeanDefinition(ThreadPoolTaskScheduler.class);
            added.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            ((BeanDefinitionRegistry) beanFactory).registerBeanDefinition("addedTaskScheduler", added);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnInfrastructure {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        TaskScheduler ownScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnBrokerSetup extends DelegatingWebSocketMessageBrokerConfiguration {

        OwnBrokerSetup() {
            setConfigurers(List.of(new Broker()));
        }

        @Override
        @Bean
        public TaskScheduler messageBrokerTaskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setThreadNamePrefix("own-");
            return scheduler;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Polling {

        private final CountDownLatch done = new CountDownLatch(1);
        private volatile String thread = "";

        @Bean
        QueueChannel in() {
            return new QueueChannel();
        }

        @Bean
        IntegrationFlow flow() {
            return IntegrationFlow.from("in")
                    .handle(
                            message -> {
                                thread = Thread.currentThread().getName();
                                done.countDown();
                            },
                            endpoint -> endpoint.poller(Pollers.fixedDelay(10)))
                    .get();
        }
    }
}
