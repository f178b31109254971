package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.util.Arrays;
import org.springframework.boot.test.context.FilteredClassLoader;

/** The endpoint in an application that answers with WebFlux, without Spring Security. */
class EndpointOnWebFluxTest extends EndpointContract {

    @Override
    public ActuatorServer start(String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "spring.main.web-application-type=reactive";
        return ActuatorServer.start(
                new FilteredClassLoader("org.springframework.security", "org.springframework.boot.security"),
                JobsApplication.class,
                all);
    }
}
