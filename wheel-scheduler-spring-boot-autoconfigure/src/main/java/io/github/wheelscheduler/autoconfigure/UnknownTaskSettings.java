package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.settings.TaskCatalog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/** Says in the log which ids with settings no task has, when all tasks of the start should be there. */
final class UnknownTaskSettings implements ApplicationListener<ApplicationReadyEvent> {

    private static final Log logger = LogFactory.getLog(UnknownTaskSettings.class);

    private final TaskCatalog catalog;

    UnknownTaskSettings(TaskCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent event) {
        for (String id : catalog.unknownOverrides()) {
            String nearest = catalog.nearestTo(id);
            logger.warn("There are settings in " + WheelSchedulerProperties.PREFIX + ".tasks for '" + id
                    + "', but no task has that id so far"
                    + (nearest == null ? "" : "; the nearest that there is: '" + nearest + "'")
                    + ". An id of class and method is written in brackets, as in " + WheelSchedulerProperties.PREFIX
                    + ".tasks[com.example.Jobs.poll].enabled, and without a number");
        }
    }
}
