package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** All that the endpoint does over HTTP, in one kind of application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EndpointContract
        implements EndpointReading,
                EndpointShowing,
                EndpointSteering,
                EndpointActing,
                EndpointRefusing,
                EndpointAccess {

    private ActuatorServer server;

    @Override
    public final ActuatorServer server() {
        return server;
    }

    @BeforeAll
    void startServer() {
        server = start("management.endpoint.wheelscheduler.access=unrestricted");
    }

    @AfterAll
    void stopServer() {
        server.context().getBean(Jobs.class).letGo();
        server.close();
    }
}
