package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.wheelOf;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.withScheduling;
import static io.github.wheelscheduler.autoconfigure.testing.SchedulingContexts.workerLimitOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.task.SimpleAsyncTaskSchedulerBuilder;
import org.springframework.boot.task.SimpleAsyncTaskSchedulerCustomizer;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** {@code spring.threads.virtual.enabled} means the same as for Boot's scheduler. */
@ExtendWith(OutputCaptureExtension.class)
class VirtualThreadsTest {

    private static final ApplicationContextRunner CONTEXT =
            withScheduling().withPropertyValues("spring.threads.virtual.enabled=true");

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void tasksRunOnVirtualThreadsThatHaveBootsPrefix() {
        CONTEXT.run(context -> assertThat(wheelOf(context)
                        .submitCompletable(() -> Thread.currentThread().toString())
                        .get(30, TimeUnit.SECONDS))
                .startsWith("VirtualThread[")
                .contains("scheduling-"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void limitIsAbsentAndBootsPoolSizeDoesNotCount() {
        CONTEXT.withPropertyValues("spring.task.scheduling.pool.size=2")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(Integer.MAX_VALUE));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void bootsConcurrencyLimitCounts() {
        CONTEXT.withPropertyValues("spring.task.scheduling.simple.concurrency-limit=2")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(2));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void negativeConcurrencyLimitIsNone() {
        CONTEXT.withPropertyValues("spring.task.scheduling.simple.concurrency-limit=-1")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(Integer.MAX_VALUE));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void ourMaxSizeWinsOverBootsConcurrencyLimit() {
        CONTEXT.withPropertyValues(
                        "spring.task.scheduling.simple.concurrency-limit=2", "wheel.scheduler.worker.max-size=3")
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(3));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void builderOfTheApplicationAppliesToVirtualThreadsToo() {
        CONTEXT.withBean(ThreadPoolTaskSchedulerBuilder.class, () -> new ThreadPoolTaskSchedulerBuilder().poolSize(4))
                .run(context -> assertThat(workerLimitOf(context)).isEqualTo(4));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void customizerThatNoLongerAppliesIsNamed(CapturedOutput output) {
        CONTEXT.withBean("limitSetter", SimpleAsyncTaskSchedulerCustomizer.class, () -> scheduler -> {})
                .run(context -> assertThat(output)
                        .contains("SimpleAsyncTaskSchedulerCustomizer has no effect")
                        .contains("[limitSetter]"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void builderThatNoLongerAppliesIsNamed(CapturedOutput output) {
        CONTEXT.withBean("ownBuilder", SimpleAsyncTaskSchedulerBuilder.class)
                .run(context -> assertThat(output)
                        .contains("SimpleAsyncTaskSchedulerBuilder has no effect")
                        .contains("[ownBuilder]"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void warningIsAbsentWithoutSuchBeans(CapturedOutput output) {
        CONTEXT.run(context -> assertThat(output).doesNotContain("has no effect"));
    }

    @Test
    @EnabledOnJre(JRE.JAVA_17)
    void jdkWithoutVirtualThreadsUsesWorkers(CapturedOutput output) {
        CONTEXT.withBean("limitSetter", SimpleAsyncTaskSchedulerCustomizer.class, () -> scheduler -> {})
                .withPropertyValues("spring.task.scheduling.simple.concurrency-limit=2")
                .run(context -> {
                    assertThat(workerLimitOf(context)).isEqualTo(256);
                    assertThat(output).doesNotContain("has no effect");
                });
    }
}
