package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.ParameterizedTypeReference;

/**
 * The dashboard and the alert rules of docs/grafana under a Prometheus that scrapes the sample; {@code -Pprometheus}
 * runs it.
 */
class GrafanaOnPrometheus {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Map<String, String> VALUES =
            Map.of(GrafanaFiles.RATE_INTERVAL, "10s", GrafanaFiles.RANGE, "1m", "$scheduler", "taskScheduler");

    /** Minutes and hours become seconds. */
    private static final Map<String, String> SHORTER = Map.of("\\[\\d+[mh]]", "[10s]", "for: 5m", "for: 0s");

    @TempDir
    private Path directory;

    private EmbeddedPostgres database;
    private ConfigurableApplicationContext application;
    private PrometheusProgram prometheus;
    private final AtomicInteger number = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile boolean hangs;

    /** What the sample has no need of. */
    @TestConfiguration(proxyBeanMethods = false)
    @Import(PrometheusScrapeTest.MoreTimers.class)
    static class MoreTasks {

        @DurableHandler("mail")
        void send(Mail mail) {
            if (mail.number() % 3 != 0) {
                throw new IllegalStateException("Two of three fail");
            }
        }
    }

    record Mail(int number) {}

    @BeforeEach
    void start() throws IOException {
        PrometheusProgram.requireOrSkip("prometheus");
        try {
            database = EmbeddedPostgres.start();
        } catch (IOException | RuntimeException | ExceptionInInitializerError ex) {
            System.out.println("PostgreSQL does not start here, so the dashboard is not tried: " + ex);
            Assumptions.abort("PostgreSQL does not start here");
        }
        application = new SpringApplicationBuilder(SampleApplication.class, MoreTasks.class)
                .run(
                        "--server.port=0",
                        "--management.metrics.tags.application=sample",
                        "--spring.autoconfigure.exclude=",
                        "--spring.datasource.url=" + database.getJdbcUrl("postgres", "postgres"),
                        "--wheel.scheduler.durable.initialize-schema=always");
        schedule();
        int port = application.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
        prometheus = PrometheusProgram.start(directory, port, shorterRules());
    }

    private static String shorterRules() throws IOException {
        String rules = Files.readString(GrafanaFiles.ALERTS);
        for (Map.Entry<String, String> change : SHORTER.entrySet()) {
            String changed = rules.replaceAll(change.getKey(), change.getValue());
            assertThat(changed).as(change.getKey()).isNotEqualTo(rules);
            rules = changed;
        }
        return rules;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // they go on until the application ends
    private void schedule() {
        TaskRegistry tasks = application.getBean(WheelTaskScheduler.class).getTaskRegistry();
        tasks.schedule("traffic", this::useTimers, TaskSchedule.fixedRate(Duration.ofMillis(200)));
        tasks.schedule("failing", GrafanaOnPrometheus::fail, TaskSchedule.fixedRate(Duration.ofMillis(200)));
        tasks.schedule("stuck", this::hangOnRequest, TaskSchedule.fixedRate(Duration.ofMillis(200)));
        LeaseRenewer<String> locks = application
                .getBeanProvider(new ParameterizedTypeReference<LeaseRenewer<String>>() {})
                .getObject();
        locks.keep("lock", Duration.ofSeconds(1), locks.start(), (key, reason) -> {});
    }

    private void useTimers() {
        int each = number.incrementAndGet();
        KeyedTimers<String, String> unpaid = application
                .getBeanProvider(new ParameterizedTypeReference<KeyedTimers<String, String>>() {})
                .getObject();
        unpaid.set("order-" + each, "", Duration.ofMillis(50));
        application.getBean(DurableTasks.class).schedule("mail", "mail-" + each, new Mail(each), Duration.ZERO);
    }

    private static void fail() {
        throw new IllegalStateException("Each run fails");
    }

    private void hangOnRequest() {
        if (hangs) {
            try {
                end.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt(); // the application closes
            }
        }
    }

    @AfterEach
    void end() throws IOException {
        end.countDown();
        if (prometheus != null) {
            prometheus.close();
        }
        if (application != null) {
            application.close();
        }
        if (database != null) {
            database.close();
        }
    }

    @Test
    void queriesFindDataAndAlertsFire() throws Exception {
        List<GrafanaFiles.Query> queries = GrafanaFiles.read().queries();
        assertThat(queries).isNotEmpty();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(queries)
                        .allSatisfy(query -> assertThat(prometheus.valuesOf(withValues(query.expression())))
                                .as(query.toString())
                                .isNotEmpty()));
        System.out.printf("> %d queries find data%n", queries.size());

        awaitAlert("WheelTaskFailing", "\"task\":\"failing\"");
        awaitAlert("WheelDurableTasksFail", "\"handler\":\"mail\"");
        assertThat(prometheus.fires("WheelTasksOverdue", "")).isFalse();
        assertThat(prometheus.fires("WheelLeasesLost", "")).isFalse();
        hangs = true;
        awaitAlert("WheelTasksOverdue", "\"name\":\"taskScheduler\"");
    }

    private void awaitAlert(String alert, String text) {
        await().atMost(PATIENCE).until(() -> prometheus.fires(alert, text));
        System.out.printf("> %s fires for %s%n", alert, text);
    }

    private static String withValues(String expression) {
        String query = expression;
        for (Map.Entry<String, String> value : VALUES.entrySet()) {
            query = query.replace(value.getKey(), value.getValue());
        }
        return query.replaceAll("\\$\\w+", ".*");
    }
}
