package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.AUTO_CONFIGURATIONS;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;

import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Heartbeat;
import io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.Scheduling;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.xml.XmlBeanDefinitionReader;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.integration.autoconfigure.IntegrationAutoConfiguration;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.websocket.autoconfigure.servlet.WebSocketMessagingAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportResource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.ScheduledExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;
import org.springframework.web.socket.handler.TextWebSocketHandler;

/** Applications with schedulers of many kinds, and where their {@code @Scheduled} methods run. */
final class SchedulerRows {

    private static final String SPRINGS = "Spring's single default thread";

    private static final String XML_SCHEDULER = "<task:scheduler id='xmlScheduler' pool-size='1'/>";

    /** An application, where its methods run, and what else the line says. */
    record Row(String name, AbstractApplicationContextRunner<?, ?, ?> application, String place, List<String> parts) {

        boolean isActive() {
            return place.equals("taskScheduler*") || place.equals("orders*");
        }

        String bean() {
            return place.replace("*", "");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Row row(String name, AbstractApplicationContextRunner<?, ?, ?> application, String place, String... parts) {
        return new Row(name, application, place, List.of(parts));
    }

    /** The applications; a star marks a place on the wheel. */
    static Stream<Row> rows() {
        ApplicationContextRunner plain = withScheduling();
        return Stream.concat(beans(plain), Stream.concat(xml(plain), frameworks(plain)));
    }

    private static Stream<Row> beans(ApplicationContextRunner plain) {
        return Stream.of(
                row("none", plain, "taskScheduler*", "up to 256 at a time"),
                row(
                        "turned off",
                        plain.withPropertyValues("wheel.scheduler.enabled=false"),
                        "taskScheduler",
                        "a ThreadPoolTaskScheduler, one at a time, as wheel.scheduler.enabled is false. Remove that"),
                row(
                        "lazy",
                        plain.withInitializer(context ->
                                context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor())),
                        "taskScheduler*"),
                row(
                        "own",
                        own(plain, "own", false),
                        "own",
                        "a ThreadPoolTaskScheduler, one at a time, as the application has the scheduler 'own'."),
                row("two", own(own(plain, "one", false), "two", false), SPRINGS, "the schedulers 'one', 'two'"),
                row(
                        "two, one primary",
                        own(own(plain, "one", false), "two", true),
                        "two",
                        "the schedulers 'one', 'two'"),
                row("executor", executor(plain, "executor", false), "executor", "the scheduler 'executor'"),
                row(
                        "two executors",
                        executor(executor(plain, "one", false), "two", false),
                        SPRINGS,
                        "the schedulers 'one', 'two'"),
                row("two executors, one primary", executor(executor(plain, "one", false), "two", true), "two"),
                row(
                        "executor of a factory bean",
                        plain.withBean("executor", ScheduledExecutorFactoryBean.class),
                        "executor",
                        "the scheduler 'executor'"),
                row(
                        "one of two by its alias",
                        own(own(plain, "one", false), "two", false)
                                .withInitializer(
                                        context -> context.getBeanFactory().registerAlias("two", "taskScheduler")),
                        "two",
                        "the schedulers 'one', 'two'"),
                row(
                        "scheduler that hides its pool",
                        plain.withBean("hiding", HidingScheduler.class),
                        "hiding",
                        "'hiding', a HidingScheduler, as"),
                row("executor beside a scheduler", executor(own(plain, "own", false), "executor", false), "own"),
                row(
                        "name is taken",
                        plain.withBean("taskScheduler", String.class, () -> "no scheduler"),
                        SPRINGS,
                        "as another bean has the name 'taskScheduler'. To run them on the wheel, give that bean"),
                row("own wheel", wheel(plain, "orders", false), "orders*", "up to 256 at a time"),
                row(
                        "two own wheels",
                        wheel(wheel(plain, "orders", false), "reports", false),
                        "taskScheduler*",
                        "as none of the wheel schedulers 'orders', 'reports' is primary"),
                row(
                        "wheel beside a primary one",
                        own(wheel(plain, "orders", false), "own", true),
                        "own",
                        "the schedulers 'orders', 'own'",
                        "make one of these @Primary: 'orders'"),
                row("primary wheel", own(wheel(plain, "orders", true), "own", false), "orders*"),
                row(
                        "configurer",
                        plain.withUserConfiguration(LaterConfigurer.class),
                        "own",
                        "as a SchedulingConfigurer chose it"),
                row(
                        "configurer with a wheel",
                        wheel(plain, "orders", true).withUserConfiguration(WheelConfigurer.class),
                        "orders*",
                        "as a SchedulingConfigurer chose it"));
    }

    private static Stream<Row> xml(ApplicationContextRunner plain) {
        ApplicationContextRunner withoutEnable =
                SchedulingContexts.withoutScheduling().withBean(Heartbeat.class);
        return Stream.of(
                row(
                        "imported XML",
                        plain.withUserConfiguration(ImportsXml.class),
                        "xmlScheduler",
                        "a ThreadPoolTaskScheduler, one at a time, as the application has the scheduler "
                                + "'xmlScheduler'"),
                row(
                        "XML names its scheduler",
                        xml(withoutEnable, XML_SCHEDULER + "<task:annotation-driven scheduler='xmlScheduler'/>"),
                        "xmlScheduler",
                        "as <task:annotation-driven> chose it"),
                row(
                        "XML names one of two",
                        xml(
                                own(withoutEnable, "own", true),
                                XML_SCHEDULER + "<task:annotation-driven scheduler='xmlScheduler'/>"),
                        "xmlScheduler",
                        "as <task:annotation-driven> chose it"),
                row(
                        "XML names an executor",
                        xml(
                                executor(withoutEnable, "executor", false),
                                "<task:annotation-driven scheduler='executor'/>"),
                        "executor",
                        "as <task:annotation-driven> chose it"),
                row("XML without a scheduler", xml(withoutEnable, "<task:annotation-driven/>"), "taskScheduler*"),
                row(
                        "tasks in XML",
                        xml(
                                plain,
                                XML_SCHEDULER + "<bean id='job' class='" + Job.class.getName()
                                        + "'/><task:scheduled-tasks "
                                        + "scheduler='xmlScheduler'><task:scheduled ref='job' method='run' "
                                        + "fixed-rate='1000'/></task:scheduled-tasks>"),
                        "xmlScheduler"),
                row(
                        "tasks in XML beside the wheel",
                        xml(
                                plain,
                                "<bean id='job' class='" + Job.class.getName()
                                        + "'/><task:scheduled-tasks><task:scheduled "
                                        + "ref='job' method='run' fixed-rate='1000'/></task:scheduled-tasks>"),
                        "taskScheduler*"),
                row(
                        "own scheduler with the broker's name",
                        xml(plain, "<task:scheduler id='messageBrokerScheduler' pool-size='1'/>"),
                        "messageBrokerScheduler"),
                row(
                        "own bean with the broker's name",
                        own(plain, "messageBrokerTaskScheduler", false),
                        "messageBrokerTaskScheduler"));
    }

    private static Stream<Row> frameworks(ApplicationContextRunner plain) {
        ApplicationContextRunner boots =
                plain.withConfiguration(AutoConfigurations.of(IntegrationAutoConfiguration.class));
        ApplicationContextRunner bare = plain.withUserConfiguration(Integration.class);
        WebApplicationContextRunner web = new WebApplicationContextRunner()
                .withConfiguration(AUTO_CONFIGURATIONS)
                .withConfiguration(AutoConfigurations.of(WebSocketMessagingAutoConfiguration.class))
                .withUserConfiguration(Scheduling.class);
        return Stream.of(
                row("Boot's Integration", boots, "taskScheduler*"),
                row(
                        "Boot's Integration beside an own one",
                        own(boots, "own", false),
                        "taskScheduler",
                        "as the application has the scheduler 'own'"),
                row("Integration", bare, "taskScheduler*"),
                row(
                        "Integration beside an own one",
                        own(bare, "own", false),
                        "taskScheduler",
                        "as the application has the scheduler 'own'"),
                row("WebSocket", web.withUserConfiguration(Broker.class), "taskScheduler*"),
                row(
                        "WebSocket in XML",
                        xml(
                                web,
                                "<websocket:message-broker><websocket:stomp-endpoint "
                                        + "path='/ws'><websocket:sockjs/></websocket:stomp-endpoint>"
                                        + "<websocket:simple-broker "
                                        + "prefix='/topic'/></websocket:message-broker>"),
                        "taskScheduler*"),
                row("SockJS", web.withUserConfiguration(SockJs.class), "taskScheduler*"),
                row(
                        "SockJS in XML",
                        xml(
                                web,
                                "<bean id='echo' class='" + TextWebSocketHandler.class.getName()
                                        + "'/><websocket:handlers><websocket:mapping "
                                        + "path='/echo' handler='echo'/><websocket:sockjs/></websocket:handlers>"),
                        "taskScheduler*"),
                row(
                        "own scheduler with the name of SockJS",
                        xml(
                                web,
                                "<task:scheduler id='SockJsScheduler'/>"
                                        + "<bean id='echo' class='" + TextWebSocketHandler.class.getName() + "'/>"
                                        + "<websocket:handlers><websocket:mapping path='/echo' handler='echo'/>"
                                        + "<websocket:sockjs/></websocket:handlers>"),
                        "SockJsScheduler"),
                row(
                        "Integration beside STOMP",
                        web.withConfiguration(AutoConfigurations.of(IntegrationAutoConfiguration.class))
                                .withUserConfiguration(Broker.class),
                        "taskScheduler*"),
                row("Spring Cloud Consul", SpringCloudConsul.in(plain), "taskScheduler*"),
                row(
                        "Spring Cloud Consul beside an own one",
                        own(SpringCloudConsul.in(plain), "own", false),
                        SPRINGS,
                        "as the application has the scheduler 'own'"));
    }

    private SchedulerRows() {}

    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R own(
            R application, String name, boolean primary) {
        return application.withBean(
                name,
                ThreadPoolTaskScheduler.class,
                () -> {
                    ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
                    scheduler.setThreadNamePrefix(name + "-");
                    return scheduler;
                },
                (BeanDefinition definition) -> definition.setPrimary(primary));
    }

    private static <R extends AbstractApplicationContextRunner<R, ?, ?>> R executor(
            R application, String name, boolean primary) {
        return application.withBean(
                name,
                ScheduledExecutorService.class,
                Executors::newSingleThreadScheduledExecutor,
                (BeanDefinition definition) -> definition.setPrimary(primary));
    }

    private static ApplicationContextRunner wheel(ApplicationContextRunner application, String name, boolean primary) {
        return application.withBean(
                name,
                WheelTaskScheduler.class,
                () -> {
                    WheelTaskScheduler scheduler = new WheelTaskScheduler();
                    scheduler.setThreadNamePrefix(name + "-");
                    return scheduler;
                },
                (BeanDefinition definition) -> definition.setPrimary(primary));
    }

    static <R extends AbstractApplicationContextRunner<R, ?, ?>> R xml(R application, String elements) {
        return application.withInitializer(context -> {
            XmlBeanDefinitionReader reader =
                    new XmlBeanDefinitionReader((BeanDefinitionRegistry) context.getBeanFactory());
            reader.loadBeanDefinitions(
                    new ByteArrayResource(("""
                    <beans xmlns="http://www.springframework.org/schema/beans"
                        xmlns:task="http://www.springframework.org/schema/task"
                        xmlns:websocket="http://www.springframework.org/schema/websocket"
                        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                        xsi:schemaLocation="
                            http://www.springframework.org/schema/beans
                            https://www.springframework.org/schema/beans/spring-beans.xsd
                            http://www.springframework.org/schema/task
                            https://www.springframework.org/schema/task/spring-task.xsd
                            http://www.springframework.org/schema/websocket
                            https://www.springframework.org/schema/websocket/spring-websocket.xsd">
                    """ + elements + "</beans>").getBytes(StandardCharsets.UTF_8)));
        });
    }

    /** Does not give its executor away. */
    static class HidingScheduler extends ThreadPoolTaskScheduler {

        @Override
        public ScheduledThreadPoolExecutor getScheduledThreadPoolExecutor() {
            throw new UnsupportedOperationException();
        }
    }

    /** What {@code <task:scheduled-tasks>} calls. */
    static class Job {

        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportResource("classpath:own-task-scheduler.xml")
    static class ImportsXml {}

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Integration {}

    @Configuration(proxyBeanMethods = false)
    static class LaterConfigurer {

        @Bean
        SchedulingConfigurer configurer(@Qualifier("own") TaskScheduler own) {
            return registrar -> registrar.setTaskScheduler(own);
        }

        @Bean(defaultCandidate = false)
        ThreadPoolTaskScheduler own() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setThreadNamePrefix("own-");
            return scheduler;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WheelConfigurer {

        @Bean
        SchedulingConfigurer configurer(WheelTaskScheduler orders) {
            return registrar -> registrar.setTaskScheduler(orders);
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
            registry.addEndpoint("/ws").withSockJS();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSocket
    static class SockJs implements WebSocketConfigurer {

        @Override
        public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            registry.addHandler(new TextWebSocketHandler(), "/echo").withSockJS();
        }
    }
}
