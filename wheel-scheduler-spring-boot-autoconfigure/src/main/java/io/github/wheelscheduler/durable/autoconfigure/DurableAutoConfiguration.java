package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelTaskSchedulerBuilderAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.internal.DataSourceChoice;
import io.github.wheelscheduler.autoconfigure.internal.DurableNodeName;
import io.github.wheelscheduler.autoconfigure.internal.EmbeddedDatabase;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of {@link DurableTasks} on the wheel of the application and on its {@link DataSource}, where the
 * module of them is there.
 */
@AutoConfiguration(
        after = {TimerWheelAutoConfiguration.class, WheelTaskSchedulerBuilderAutoConfiguration.class},
        // An application that makes both beans itself need not have these classes.
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@ConditionalOnClass({DurableEngine.class, JdbcTemplate.class})
@ConditionalOnBean(TimerWheel.class)
@ConditionalOnMissingBean(DurableTasks.class)
@EnableConfigurationProperties(DurableProperties.class)
@ImportRuntimeHints({DurableSchemaHints.class, TransactionManagerChoice.Hints.class})
public final class DurableAutoConfiguration {

    private static final DataSourceChoice.Purpose DATABASE = new DataSourceChoice.Purpose(
            "durable tasks", "@DurableDataSource", DurableAutoConfiguration.class.getName());

    private static final Log LOGGER = LogFactory.getLog(DurableAutoConfiguration.class);

    @Bean
    DurableNodeName wheelDurableNodeName(DurableProperties properties) {
        return new DurableNodeName(properties.nodeName(host()));
    }

    @Bean(destroyMethod = "close")
    DurableEngine wheelDurableTasks(
            DurableProperties properties,
            DurableNodeName nodeName,
            TimerWheel wheel,
            ObjectProvider<DataSource> dataSources,
            @DurableDataSource ObjectProvider<DataSource> markedDataSources,
            ListableBeanFactory beanFactory,
            ObjectProvider<JsonMapper> mapper,
            ObjectProvider<PayloadFormat> formats,
            ObjectProvider<DurableObserver> observers) {
        DataSource dataSource = DataSourceChoice.of(DATABASE, dataSources, markedDataSources, beanFactory);
        EmbeddedDatabase embedded = EmbeddedDatabase.of(dataSource);
        if (embedded != null) {
            LOGGER.warn(embedded.warning());
        }
        return new DurableEngine(
                properties.settings(embedded != null, nodeName.name()),
                wheel.executor(),
                dataSource,
                mapper.getIfUnique(() -> JsonMapper.builder().build()),
                formats(formats),
                new DurableObservers(observers.orderedStream().toList()));
    }

    /** A format of the application replaces ours, which rows may still have. */
    private static List<PayloadFormat> formats(ObjectProvider<PayloadFormat> ofApplication) {
        Set<PayloadFormat> formats = new LinkedHashSet<>();
        ofApplication.ifAvailable(formats::add);
        ofApplication.forEach(formats::add);
        formats.add(PayloadFormat.standard());
        return List.copyOf(formats);
    }

    /** When all singletons are there: a listener may need what schedules tasks. */
    @Bean
    static SmartInitializingSingleton wheelDurableListenerBinding(
            ObjectProvider<DurableListener> listeners, ObjectProvider<DurableEngine> engine) {
        return () -> listeners.orderedStream().forEach(engine.getObject()::listen);
    }

    @Bean
    @ConditionalOnMissingBean
    RecurringTasks wheelRecurringTasks(DurableEngine engine) {
        return engine.recurringTasks();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "node";
        }
    }

    @Bean
    static DurableHandlerMethods wheelDurableHandlerMethods(
            ConfigurableListableBeanFactory beanFactory,
            DurableEngine engine,
            ObjectProvider<DurableProperties> properties,
            ObjectProvider<DataSource> dataSources,
            @DurableDataSource ObjectProvider<DataSource> markedDataSources) {
        return new DurableHandlerMethods(
                beanFactory,
                engine,
                properties,
                new TransactionManagerChoice(
                        beanFactory, () -> DataSourceChoice.of(DATABASE, dataSources, markedDataSources, beanFactory)));
    }

    @Bean
    static DurableHandlerHints wheelDurableHandlerHints() {
        return new DurableHandlerHints();
    }

    @Bean
    @ConditionalOnBean(TaskCatalog.class)
    static DurableSchedules wheelDurableSchedules(
            ObjectProvider<DurableEngine> engine,
            ObjectProvider<DurableProperties> properties,
            ObjectProvider<TaskCatalog> catalog) {
        return new DurableSchedules(engine, properties, catalog);
    }

    @Bean
    DurableLifecycle wheelDurableLifecycle(DurableEngine engine, DurableProperties properties) {
        return new DurableLifecycle(engine, properties.enabled());
    }
}
