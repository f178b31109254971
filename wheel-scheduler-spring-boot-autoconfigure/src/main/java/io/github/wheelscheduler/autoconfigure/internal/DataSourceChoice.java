package io.github.wheelscheduler.autoconfigure.internal;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Chooses the database of something: the one that is marked as its own, else the only or the primary one. */
public final class DataSourceChoice {

    private DataSourceChoice() {}

    /**
     * The thing that needs a database, as errors name it.
     *
     * @param owner the same within a sentence
     * @param mark the name of the annotation
     * @param autoConfiguration the auto-configuration to exclude where it is not wanted
     */
    public record Purpose(String owner, String mark, String autoConfiguration) {}

    /** Returns the one, or fails with what to do. */
    public static DataSource of(
            Purpose purpose,
            ObjectProvider<DataSource> all,
            ObjectProvider<DataSource> marked,
            ListableBeanFactory beanFactory) {
        DataSource theMarked = marked.getIfUnique();
        if (theMarked != null) {
            return theMarked;
        }
        if (marked.stream().findAny().isPresent()) {
            throw unclear(purpose, "several have " + purpose.mark, beanFactory);
        }
        DataSource usual = all.getIfUnique();
        if (usual != null) {
            return usual;
        }
        throw unclear(purpose, "none of them is the only or the primary one", beanFactory);
    }

    private static UnusableSetupException unclear(Purpose purpose, String reason, ListableBeanFactory beanFactory) {
        String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, DataSource.class);
        return names.length == 0
                ? new UnusableSetupException(
                        "There must be a DataSource for " + purpose.owner + ", but there is none",
                        "Add spring-boot-starter-jdbc and a driver: org.postgresql:postgresql, and set "
                                + "spring.datasource.url; or, for one node, com.h2database:h2, which needs no url. "
                                + "Where no " + purpose.owner + " are wanted, name "
                                + purpose.autoConfiguration + " in spring.autoconfigure.exclude.")
                : new UnusableSetupException(
                        "The DataSource for " + purpose.owner + " must be clear, but " + reason + ": "
                                + String.join(", ", names),
                        "Mark the DataSource of the " + purpose.owner + ", and no other, with " + purpose.mark
                                + ", or that of the whole application with @Primary.");
    }
}
