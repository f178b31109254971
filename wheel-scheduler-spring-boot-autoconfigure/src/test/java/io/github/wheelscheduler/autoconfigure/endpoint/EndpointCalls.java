package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;

/** Reads and steers over HTTP. */
interface EndpointCalls {

    String ENDPOINT = "wheelscheduler";

    /** Returns the server of an application where the endpoint may be written to. */
    ActuatorServer server();

    /** Starts another server. */
    ActuatorServer start(String... properties);

    default Answer read(String id) {
        Answer answer = server().get(ENDPOINT + "/" + id);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    default Answer steer(String id, String json) {
        return server().post(ENDPOINT + "/" + id, json.replace('\'', '"'));
    }

    default Answer steerWell(String id, String json) {
        Answer answer = steer(id, json);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    default TaskSchedule tomorrow() {
        return TaskSchedule.once(Instant.now().plus(Duration.ofDays(1)));
    }
}
