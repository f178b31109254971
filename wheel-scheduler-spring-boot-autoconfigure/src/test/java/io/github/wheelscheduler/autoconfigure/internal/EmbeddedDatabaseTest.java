package io.github.wheelscheduler.autoconfigure.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An application that adds the dependency and H2, and sets nothing. */
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedDatabaseTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String WARNING = "Durable tasks are in an embedded database";

    record Letter(String text) {}

    static class Letters {
        final Queue<Letter> sent = new ConcurrentLinkedQueue<>();
        final AtomicInteger ticks = new AtomicInteger();

        @DurableHandler("letter")
        void send(Letter letter) {
            sent.add(letter);
        }

        @Durable
        @Scheduled(fixedRate = 100)
        void tick() {
            ticks.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {
        @Bean
        Letters letters() {
            return new Letters();
        }
    }

    private static ConfigurableApplicationContext start(String... arguments) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(arguments);
    }

    private static int timesIn(String text) {
        return text.split(WARNING, -1).length - 1;
    }

    @Test
    void runsTasksWithoutAnySetting(CapturedOutput output) {
        try (ConfigurableApplicationContext context = start()) {
            Letters letters = context.getBean(Letters.class);
            assertThat(context.getBean(DurableTasks.class).schedule("letter", "1", new Letter("hello"), Instant.now()))
                    .isTrue();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(letters.sent).containsExactly(new Letter("hello")));
            await().atMost(PATIENCE).until(() -> letters.ticks.get() >= 3);
        }
        assertThat(timesIn(output.getAll())).isEqualTo(1);
        assertThat(output).contains("WARN", EmbeddedDatabase.IN_MEMORY.warning());
        assertThat(EmbeddedDatabase.IN_MEMORY.warning())
                .contains("other nodes do not see these tasks", "they are lost when this process ends");
    }

    @Test
    void tasksOfAFileDatabaseExistAtTheNextStart(@TempDir Path folder, CapturedOutput output) {
        String url =
                "--spring.datasource.url=jdbc:h2:" + folder.resolve("tasks").toAbsolutePath();
        Instant later = Instant.now().plus(Duration.ofDays(1));
        try (ConfigurableApplicationContext context = start(url)) {
            assertThat(context.getBean(DurableTasks.class).schedule("letter", "1", new Letter("hello"), later))
                    .isTrue();
        }
        try (ConfigurableApplicationContext context = start(url)) {
            DurableTasks tasks = context.getBean(DurableTasks.class);
            assertThat(tasks.find("letter", "1")).isPresent();
            assertThat(tasks.reschedule("letter", "1", Instant.now())).isTrue();
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(context.getBean(Letters.class).sent).containsExactly(new Letter("hello")));
        }
        assertThat(timesIn(output.getAll())).isEqualTo(2);
        assertThat(output).contains(EmbeddedDatabase.IN_FILE.warning());
        assertThat(EmbeddedDatabase.IN_FILE.warning())
                .contains("survive the end of this process", "other nodes do not see them");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:h2:mem:test, IN_MEMORY",
        "jdbc:h2:mem:, IN_MEMORY",
        "jdbc:h2:nioMemFS:test, IN_MEMORY",
        "jdbc:h2:file:/data/test, IN_FILE",
        "jdbc:h2:~/test, IN_FILE",
        "jdbc:h2:./test, IN_FILE",
        "jdbc:h2:C:/test, IN_FILE",
        "jdbc:h2:tcp://localhost/~/test, ",
        "jdbc:h2:ssl://localhost:8085/~/test, ",
        "jdbc:postgresql://localhost/mem, ",
        "null, "
    })
    void aUrlSaysWhatIsLeft(String url, EmbeddedDatabase kind) {
        assertThat(EmbeddedDatabase.ofUrl(url)).isEqualTo(kind);
    }
}
