package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.internal.EachDurableEngine;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import io.github.wheelscheduler.jdbc.internal.EndRows;
import io.github.wheelscheduler.jdbc.internal.RunJournal;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets every node of durable tasks write its ends into the history, from before it starts. A node is destroyed before
 * the history, so that the runs that end meanwhile are in it.
 */
final class HistoryDurable extends EachDurableEngine {

    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<RunJournal> journal;
    private volatile @Nullable RunJournal found;

    HistoryDurable(ConfigurableListableBeanFactory beanFactory, ObjectProvider<RunJournal> journal) {
        super(beanFactory);
        this.beanFactory = beanFactory;
        this.journal = journal;
    }

    @Override
    protected void come(DurableEngine engine, String beanName) {
        HistorySchedulers.destroyBefore(beanFactory, beanName);
        // The history asks the engine for the name of its node, so it is looked up with the first end.
        DurableNode.of(engine).note(new RunJournal() {
            @Override
            public void ended(EndNote end) {
                journal().ended(end);
            }

            @Override
            public @Nullable EndRows rowsIn(DataSource dataSource) {
                return journal().rowsIn(dataSource);
            }
        });
    }

    private RunJournal journal() {
        RunJournal known = found;
        if (known == null) {
            known = journal.getObject();
            found = known;
        }
        return known;
    }
}
