package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.internal.DataSourceChoice;
import io.github.wheelscheduler.autoconfigure.internal.EmbeddedDatabase;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistorySettings;
import io.github.wheelscheduler.history.RunHistoryReader;
import io.github.wheelscheduler.history.internal.DurableRunNotes;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Auto-configuration of the history of runs of every {@link WheelTaskScheduler}, where its module and a {@link
 * DataSource} are there.
 */
@AutoConfiguration(
        after = TimerWheelAutoConfiguration.class,
        afterName = {
            "io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        },
        beforeName = "io.github.wheelscheduler.autoconfigure.steering.SteeringAutoConfiguration")
@ConditionalOnClass({HistoryEngine.class, JdbcTemplate.class})
@ConditionalOnBean(TimerWheel.class)
@Conditional(OnHistoryDatabaseCondition.class)
@ConditionalOnBooleanProperty(name = HistoryProperties.PREFIX + ".enabled", matchIfMissing = true)
@EnableConfigurationProperties(HistoryProperties.class)
@ImportRuntimeHints(HistorySchemaHints.class)
public final class HistoryAutoConfiguration {

    private static final DataSourceChoice.Purpose DATABASE = new DataSourceChoice.Purpose(
            "history rows", "@HistoryDataSource", HistoryAutoConfiguration.class.getName());

    /** Takes no part in the order of destruction by what it is given: its runs come from schedulers that end before. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    HistoryEngine wheelHistory(
            HistoryProperties properties,
            ObjectProvider<TimerWheel> wheel,
            ObjectProvider<DataSource> dataSources,
            @HistoryDataSource ObjectProvider<DataSource> markedDataSources,
            ListableBeanFactory beanFactory,
            Environment environment) {
        DataSource dataSource = DataSourceChoice.of(DATABASE, dataSources, markedDataSources, beanFactory);
        HistorySettings settings = properties.settings(
                EmbeddedDatabase.of(dataSource) != null, () -> HistoryNode.name(beanFactory, environment));
        return new HistoryEngine(settings, wheel.getObject().executor(), dataSource);
    }

    @Bean
    @ConditionalOnMissingBean
    RunHistoryReader wheelRunHistoryReader(HistoryEngine history) {
        return history.reader();
    }

    @Bean
    static HistorySchedulers wheelHistorySchedulers(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<HistoryEngine> history,
            ObjectProvider<MissedAtStart> missed) {
        return new HistorySchedulers(beanFactory, history, missed);
    }

    @Bean
    static MissedAtStart wheelHistoryMissed() {
        return new MissedAtStart();
    }

    @Bean
    HistoryLifecycle wheelHistoryLifecycle(HistoryEngine history) {
        return new HistoryLifecycle(history);
    }

    @Bean
    SteeringListener wheelHistoryAudit(ObjectProvider<HistoryEngine> history, ObjectProvider<TimerWheel> wheel) {
        return new HistoryAudit(
                history::getObject, () -> wheel.getObject().executor().wallClockInstant());
    }

    /** Durable tasks, where their module is there, too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({DurableEngine.class, RunJournal.class})
    static class OfDurableTasks {

        @Bean
        @ConditionalOnMissingBean
        RunJournal wheelHistoryJournal(HistoryEngine history) {
            return new DurableRunNotes(history);
        }

        @Bean
        static HistoryDurable wheelHistoryDurable(
                ConfigurableListableBeanFactory beanFactory, ObjectProvider<RunJournal> journal) {
            return new HistoryDurable(beanFactory, journal);
        }
    }
}
