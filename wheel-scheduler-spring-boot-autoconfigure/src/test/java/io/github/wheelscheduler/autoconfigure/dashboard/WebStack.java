package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** What answers in an application with the page. */
enum WebStack {
    MVC("servlet", "server.servlet.context-path="),
    WEB_FLUX("reactive", "spring.webflux.base-path=");

    private static final Map<WebStack, DashboardSite> SHARED = new EnumMap<>(WebStack.class);

    private final String type;
    private final String contextPath;

    WebStack(String type, String contextPath) {
        this.type = type;
        this.contextPath = contextPath;
    }

    /** Starts an application without Spring Security. All endpoints are exposed, and allow to steer. */
    DashboardSite start(String... properties) {
        return DashboardSite.start(JobsApplication.class, with(properties));
    }

    /**
     * Returns an application that is started once for all tests of a class, which leave it as they found it. {@link
     * #closeShared} ends it.
     */
    DashboardSite shared() {
        return SHARED.computeIfAbsent(this, WebStack::start);
    }

    static void closeShared() {
        SHARED.values().forEach(DashboardSite::close);
        SHARED.clear();
    }

    /** Returns the property that sets the path of the whole application. */
    String contextPath(String path) {
        return contextPath + path;
    }

    /** Returns the properties, and the one that chooses this. */
    String[] with(String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "spring.main.web-application-type=" + type;
        return all;
    }
}
