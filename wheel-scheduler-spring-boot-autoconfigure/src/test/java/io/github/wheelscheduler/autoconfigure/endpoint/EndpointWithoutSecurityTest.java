package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import org.springframework.boot.test.context.FilteredClassLoader;

/** The endpoint in an application that does not have Spring Security. */
class EndpointWithoutSecurityTest extends EndpointContract {

    @Override
    public ActuatorServer start(String... properties) {
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                JobsApplication.class,
                properties);
    }
}
