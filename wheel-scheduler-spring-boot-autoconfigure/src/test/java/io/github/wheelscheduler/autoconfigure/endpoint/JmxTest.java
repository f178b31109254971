package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.MBeanException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The same endpoint over JMX, in an application without a web server. */
class JmxTest {

    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    private ConfigurableApplicationContext application;
    private ObjectName name;

    @BeforeEach
    void start() throws Exception {
        application = new SpringApplicationBuilder(JobsApplication.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.jmx.enabled=true",
                        "--management.endpoints.jmx.exposure.include=wheelscheduler",
                        "--management.endpoint.wheelscheduler.access=unrestricted");
        name = new ObjectName("org.springframework.boot:type=Endpoint,name=Wheelscheduler");
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void tasksAreSeenAndSteered() throws Exception {
        assertThat(invoke("schedulers", "taskScheduler", null, null, null, null, null, null, 0, 10))
                .extractingByKey("schedulers")
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(1);
        assertThat(invoke("steerTask", Jobs.REST, "pause", null, null, null, null, null, null, null))
                .containsEntry("state", "PAUSED");
        assertThat(invoke("task", Jobs.REST, null)).containsEntry("state", "PAUSED");
        assertThat(invoke("steerScheduler", "pause", null, null)).containsEntry("state", "PAUSED");
    }

    @Test
    void tasksAreFoundAndComeInPages() throws Exception {
        Map<Object, Object> page = invoke("schedulers", null, null, "REST", "pending", "id", "desc", null, null, 1);
        assertThat(page).containsEntry("total", 1).containsEntry("next", null);
        assertThat(page)
                .extractingByKey("tasks")
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .singleElement()
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("id", Jobs.REST);
        Map<Object, Object> first = invoke("schedulers", null, null, null, null, "next", "asc", null, null, 1);
        Map<Object, Object> second =
                invoke("schedulers", null, null, null, null, "next", "asc", first.get("next"), null, 1);
        assertThat(second.get("tasks")).isNotEqualTo(first.get("tasks"));
        assertThatExceptionOfType(MBeanException.class)
                .isThrownBy(() -> invoke("schedulers", null, null, null, "lost", null, null, null, null, null))
                .withMessageContaining(
                        "state must be one of [overdue, failing, overrunning, paused, running, pending, disabled, "
                                + "over], was lost");
    }

    @Test
    void failuresAreThrownWithTheReason() {
        assertThatExceptionOfType(MBeanException.class)
                .isThrownBy(() -> invoke("task", "no.such.Task", null))
                .withMessageContaining("no.such.Task");
        assertThatExceptionOfType(MBeanException.class)
                .isThrownBy(() -> invoke("steerTask", Jobs.REST, "retime", null, "soon", null, null, null, null, null))
                .withMessageContaining("soon");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void eachSteeringLeavesOneLine(CapturedOutput output) throws Exception {
        Map<Object, Object> ignored =
                invoke("steerTask", Jobs.REST, "retime", null, null, "2h", null, null, null, null);
        assertThat(output.getOut())
                .containsOnlyOnce("Steering by ")
                .contains("Steering by JMX: action retime on task " + Jobs.REST
                        + "; before: PENDING every hour; after: PENDING 2 h after each run");
        for (String interval : List.of("1ns", "soon")) {
            assertThatExceptionOfType(MBeanException.class)
                    .isThrownBy(() ->
                            invoke("steerTask", Jobs.REST, "retime", null, interval, null, null, null, null, null))
                    .withMessageContaining(interval);
            assertThat(output.getOut())
                    .containsPattern(
                            "Steering by JMX was refused: action retime on task .*; cause: fixedRate .*, w[a-z]+ "
                                    + interval);
        }
        assertThat(invoke("steerTask", Jobs.REST, "reset", null, null, null, null, null, null, null))
                .extractingByKey("schedule")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("text", "PT1H");
    }

    @Test
    void answerRepeatsLittleOfWhatIsLong() {
        String much = "x".repeat(5_000);
        for (Object[] call : new Object[][] {
            {"schedulers", much, null, null, null, null, null, null, null, null},
            {"schedulers", null, null, null, much, null, null, null, null, null},
            {"task", much, null},
            {"steerTask", Jobs.REST, much, null, null, null, null, null, null, null},
            {"steerScheduler", much, null, null}
        }) {
            assertThatExceptionOfType(MBeanException.class)
                    .isThrownBy(() -> invoke((String) call[0], Arrays.copyOfRange(call, 1, call.length)))
                    .satisfies(ex -> assertThat(ex.getMessage()).contains("x").doesNotContain("x".repeat(201)));
        }
    }

    private Map<Object, Object> invoke(String operation, Object... arguments) throws Exception {
        List<MBeanOperationInfo> found = Stream.of(beans.getMBeanInfo(name).getOperations())
                .filter(candidate -> candidate.getName().equals(operation))
                .toList();
        assertThat(found).hasSize(1);
        String[] signature = Arrays.stream(found.get(0).getSignature())
                .map(MBeanParameterInfo::getType)
                .toArray(String[]::new);
        return new LinkedHashMap<>((Map<?, ?>) beans.invoke(name, operation, arguments, signature));
    }
}
