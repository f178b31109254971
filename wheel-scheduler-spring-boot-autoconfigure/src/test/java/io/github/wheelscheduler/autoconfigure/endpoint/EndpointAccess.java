package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Promises of an endpoint without write access. */
interface EndpointAccess extends EndpointCalls {

    @Test
    default void serverRefusesWithoutWriteAccess() {
        try (ActuatorServer readOnly = start()) {
            String task = ENDPOINT + "/" + Jobs.REST;
            Answer before = readOnly.get(task);
            assertThat(before.status()).isEqualTo(200);
            assertThat(before.at("steering")).isEqualTo(false);
            assertThat(readOnly.get(ENDPOINT).at("steering")).isEqualTo(false);
            for (String action : List.of("trigger", "pause", "retime", "interrupt", "stack")) {
                String schedule = action.equals("retime") ? ", \"fixedRate\": \"1s\"" : "";
                assertThat(readOnly.post(task, "{\"action\": \"" + action + "\"" + schedule + "}")
                                .status())
                        .isEqualTo(405);
            }
            assertThat(readOnly.post(ENDPOINT, "{\"action\": \"pause\"}").status())
                    .isEqualTo(405);
            assertThat(readOnly.post(ENDPOINT, "{\"of\": \"tasks\", \"action\": \"pause\"}")
                            .status())
                    .isEqualTo(405);
            Answer after = readOnly.get(task);
            for (String part : List.of("state", "schedule", "runs")) {
                assertThat(after.at(part)).isEqualTo(before.at(part));
            }
            assertThat(readOnly.get(ENDPOINT).textAt("schedulers.0.state")).isEqualTo("RUNNING");
        }
    }

    @Test
    default void endpointIsAbsentWithoutAnyAccess() {
        try (ActuatorServer none = start("management.endpoint.wheelscheduler.access=none")) {
            assertThat(none.get(ENDPOINT).status()).isEqualTo(404);
        }
    }
}
