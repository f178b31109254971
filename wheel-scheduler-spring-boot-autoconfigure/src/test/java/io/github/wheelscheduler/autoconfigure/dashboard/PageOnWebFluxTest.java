package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.util.Arrays;

/** The page of an application that answers with WebFlux. */
class PageOnWebFluxTest extends PageContract {

    @Override
    DashboardSite start(String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "spring.main.web-application-type=reactive";
        return DashboardSite.start(JobsApplication.class, all);
    }

    @Override
    String contextPath(String path) {
        return "spring.webflux.base-path=" + path;
    }
}
