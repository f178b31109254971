package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.util.Arrays;

/** The page of an application that answers with Spring MVC. */
class PageOnMvcTest extends PageContract {

    @Override
    DashboardSite start(String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "spring.main.web-application-type=servlet";
        return DashboardSite.start(JobsApplication.class, all);
    }

    @Override
    String contextPath(String path) {
        return "server.servlet.context-path=" + path;
    }
}
