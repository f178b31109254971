package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Chooses the database of durable tasks: the one that is marked, else the only or the primary one. */
final class DataSourceChoice {

    private DataSourceChoice() {}

    static DataSource of(
            ObjectProvider<DataSource> all, ObjectProvider<DataSource> marked, ListableBeanFactory beanFactory) {
        DataSource theMarked = marked.getIfUnique();
        if (theMarked != null) {
            return theMarked;
        }
        if (marked.stream().findAny().isPresent()) {
            throw unclear("several have @DurableDataSource", beanFactory);
        }
        DataSource usual = all.getIfUnique();
        if (usual != null) {
            return usual;
        }
        throw unclear("none of them is the only or the primary one", beanFactory);
    }

    private static UnusableSetupException unclear(String reason, ListableBeanFactory beanFactory) {
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, DataSource.class);
        return names.length == 0
                ? new UnusableSetupException(
                        "Durable tasks must have a DataSource, but there is none",
                        "Add spring-boot-starter-jdbc and a driver: org.postgresql:postgresql, and set spring.datasource.url; or, for one node, com.h2database:h2, which "
                                + "needs no url. Where no durable tasks are wanted, name "
                                + DurableAutoConfiguration.class.getName() + " in spring.autoconfigure.exclude.")
                : new UnusableSetupException(
                        "Durable tasks must know which DataSource is theirs, but " + reason + ": "
                                + String.join(", ", names),
                        "Mark the DataSource of the durable tasks, and no other, with @DurableDataSource, or that of the whole application with @Primary.");
    }
}
