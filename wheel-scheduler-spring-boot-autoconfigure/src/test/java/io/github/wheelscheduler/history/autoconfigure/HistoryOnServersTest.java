package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.AuditQuery;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryQuery;
import io.github.wheelscheduler.history.HistoryRow;
import io.github.wheelscheduler.history.RunHistoryReader;
import io.github.wheelscheduler.history.TaskSummary;
import io.github.wheelscheduler.spring.steering.SteeredBy;
import io.github.wheelscheduler.testing.MariaDbServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.management.MBeanException;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** An application with durable tasks, the history and Spring Security, on each database. */
@ParameterizedClass
@EnumSource
@Tag("full")
class HistoryOnServersTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String url;

    HistoryOnServersTest(Place place) throws SQLException {
        url = place.newUrl();
    }

    /** The databases, each test with one of its own. */
    enum Place {
        H2 {
            @Override
            String newUrl() {
                return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            }
        },
        POSTGRESQL {
            @Override
            String newUrl() throws SQLException {
                String name = newName();
                try (Connection connection = postgresql().getPostgresDatabase().getConnection();
                        Statement statement = connection.createStatement()) {
                    boolean ignored = statement.execute("create database " + name);
                }
                return postgresql().getJdbcUrl("postgres", name);
            }
        },
        MARIADB {
            @Override
            String newUrl() throws SQLException {
                return mariaDb().newUrl(newName());
            }
        };

        private static @Nullable EmbeddedPostgres postgresql;
        private static @Nullable MariaDbServer mariaDb;

        abstract String newUrl() throws SQLException;

        private static String newName() {
            return "t" + UUID.randomUUID().toString().replace("-", "");
        }

        private static synchronized EmbeddedPostgres postgresql() {
            assumeNotSkipped("postgresql");
            try {
                if (postgresql == null) {
                    postgresql = EmbeddedPostgres.builder()
                            .setServerConfig("fsync", "off")
                            .start();
                }
                return postgresql;
            } catch (IOException | RuntimeException ex) {
                throw missing("postgresql", "PostgreSQL does not start here: " + ex);
            }
        }

        private static synchronized MariaDbServer mariaDb() {
            assumeNotSkipped("mariadb");
            try {
                if (mariaDb == null) {
                    mariaDb = MariaDbServer.start().orElseThrow(() -> missing("mariadb", "there is no mariadbd here"));
                }
                return mariaDb;
            } catch (IOException ex) {
                throw missing("mariadb", ex.toString());
            }
        }

        private static void assumeNotSkipped(String name) {
            Assumptions.assumeFalse(isListed("wheel.test.skip", name), "skipped by wheel.test.skip");
        }

        private static RuntimeException missing(String name, String why) {
            if (isListed("wheel.test.require", name)) {
                return new IllegalStateException("wheel.test.require has " + name + ", but " + why);
            }
            return Assumptions.abort(why);
        }

        private static boolean isListed(String property, String name) {
            return List.of(System.getProperty(property, "").split(",")).contains(name);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Faxes implements DurableListener {

        final Queue<DurableEnd> ends = new ConcurrentLinkedQueue<>();

        @DurableHandler(value = "fax", maxRetries = 1, backOff = "10ms")
        void fax(String text) {
            if (text.equals("broken")) {
                throw new IllegalStateException("no paper");
            }
        }

        @Durable("monthly")
        @Scheduled(cron = "0 0 2 29 2 *", zone = "UTC")
        void monthly() {}

        @Override
        public void ended(DurableEnd end) {
            ends.add(end);
        }

        @Bean
        SecurityFilterChain rules(HttpSecurity http) throws Exception {
            http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated());
            http.csrf(csrf -> csrf.disable());
            http.httpBasic(Customizer.withDefaults());
            return http.build();
        }
    }

    private String[] settings(String node, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "spring.datasource.url=" + url,
                "spring.datasource.hikari.maximum-pool-size=12",
                "wheel.scheduler.durable.initialize-schema=always",
                "wheel.scheduler.history.initialize-schema=always",
                "wheel.scheduler.durable.node=" + node,
                "management.endpoint.wheeldurable.access=unrestricted",
                "management.endpoint.wheelscheduler.access=unrestricted"));
        if (url.contains(":h2:")) {
            all.add("spring.datasource.username=sa");
        }
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private ActuatorServer start(String node, String... more) {
        return ActuatorServer.start(getClass().getClassLoader(), Faxes.class, settings(node, more));
    }

    private static List<HistoryRow> rows(ConfigurableApplicationContext context, String task, int number) {
        RunHistoryReader reader = context.getBean(RunHistoryReader.class);
        HistoryQuery query = HistoryQuery.ALL.ofTask(task).limit(1_000);
        await().atMost(PATIENCE).until(() -> reader.page(query).rows().size() >= number);
        return reader.page(query).rows();
    }

    private static List<AuditEntry> audit(ConfigurableApplicationContext context, int number) {
        RunHistoryReader reader = context.getBean(RunHistoryReader.class);
        await().atMost(PATIENCE)
                .until(() -> reader.audit(AuditQuery.ALL).entries().size() >= number);
        return reader.audit(AuditQuery.ALL).entries();
    }

    @Test
    void userOfSpringSecurityIsInTheAuditAndInTheRow() {
        try (ActuatorServer server = start("a")) {
            String monthly = "wheeldurable/recurring/monthly";
            await().atMost(PATIENCE).until(() -> server.get(monthly).status() == 200);
            Answer triggered = server.post(monthly, "{\"action\": \"trigger\", \"reason\": \"the auditor asks\"}");
            assertThat(triggered.status()).as(triggered.text()).isEqualTo(200);
            assertThat(rows(server.context(), "monthly", 1))
                    .extracting(HistoryRow::by)
                    .containsExactly("operator");
            assertThat(server.post("wheeldurable/recurring/none", "{\"action\": \"pause\"}")
                            .status())
                    .isEqualTo(404);
            assertThat(audit(server.context(), 2))
                    .extracting(AuditEntry::task, AuditEntry::action, AuditEntry::channel, AuditEntry::who)
                    .containsExactlyInAnyOrder(
                            tuple("monthly", "trigger", "http", "operator"),
                            tuple("none", "pause", "http", "operator"));
            assertThat(audit(server.context(), 2))
                    .filteredOn(entry -> entry.refusal() != null)
                    .extracting(AuditEntry::task)
                    .containsExactly("none");
            Answer shown = server.get("wheelhistory/audit?who=operator&task=monthly");
            assertThat(shown.textAt("entries.0.reason")).isEqualTo("the auditor asks");
            assertThat(server.getAnonymously("wheelhistory").status()).isEqualTo(401);
        }
    }

    @Test
    void endsAreReadAfterARestart() {
        try (ActuatorServer server = start("a")) {
            DurableTasks tasks = server.context().getBean(DurableTasks.class);
            assertThat(tasks.schedule("fax", "1", "well", Instant.now())).isTrue();
            assertThat(tasks.schedule("fax", "2", "broken", Instant.now())).isTrue();
            List<HistoryRow> rows = rows(server.context(), "fax", 3);
            assertThat(rows)
                    .extracting(row -> row.instance() + " " + row.attempt() + " " + row.outcome())
                    .containsExactlyInAnyOrder("1 1 SUCCESS", "2 1 FAILURE", "2 2 GIVEN_UP");
        }
        try (ActuatorServer server = start("b")) {
            TaskSummary summary =
                    server.context().getBean(RunHistoryReader.class).summary("fax");
            assertThat(summary.successes()).isEqualTo(1);
            assertThat(summary.failures()).isEqualTo(2);
            Answer failures = server.get("wheelhistory/failures?task=fax");
            assertThat(failures.numberAt("failures.0.rows")).isEqualTo(2);
            assertThat(server.get("wheelhistory/hours?task=fax").text()).contains("GIVEN_UP");
            assertThat(server.get("wheelhistory?task=fax&id=2&text=PAPER&node=a")
                            .listAt("rows"))
                    .hasSize(2);
        }
    }

    @Test
    void questionThatTakesLongIsRefusedWithARemedy() throws SQLException {
        Assumptions.assumeTrue(url.contains(":postgresql:"), "locks a table as PostgreSQL does");
        try (ActuatorServer server = start("a", "wheel.scheduler.history.query-timeout=1s");
                Connection other = DriverManager.getConnection(url);
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            boolean ignored = lock.execute("lock table wheel_history_hour in access exclusive mode");
            Answer answer = server.get("wheelhistory/sums?from=2026-01-01T00:00:00Z");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text())
                    .contains("must be answered within 1 s, but was not; ask for a shorter range of time, or for a"
                            + " task");
            other.rollback();
            assertThat(server.get("wheelhistory/sums").status()).isEqualTo(200);
        }
    }

    @Test
    void textThatNoDatabaseTakesIsNoOutage() {
        try (ActuatorServer server = start("a")) {
            for (String path : List.of(
                    "wheelhistory?task=a%00",
                    "wheelhistory?task=fax&id=a%00",
                    "wheelhistory?task=fax&text=a%00",
                    "wheelhistory/hours?task=a%00",
                    "wheelhistory/audit?who=a%00",
                    "wheelhistory/trace?task=fax&kind=a%00",
                    "wheeldurable/tasks/fax?id=a%00",
                    "wheeldurable/tasks?prefix=a%00",
                    "wheeldurable/tasks?error=a%00b",
                    "wheeldurable/recurring?after=%00")) {
                Answer answer = server.get(path);
                assertThat(answer.status()).as(path + " " + answer.text()).isEqualTo(400);
                assertThat(answer.text()).contains("must contain neither the character U+0000");
            }
        }
    }

    @Test
    void nodeWithoutAHistoryWorksBesideOneWithIt() {
        try (ActuatorServer with = start("a");
                ActuatorServer without = start("b", "wheel.scheduler.history.enabled=false")) {
            assertThat(without.context().getBeanNamesForType(HistoryEngine.class))
                    .isEmpty();
            DurableTasks one = with.context().getBean(DurableTasks.class);
            DurableTasks other = without.context().getBean(DurableTasks.class);
            int count = 60;
            for (int i = 0; i < count; i++) {
                assertThat((i % 2 == 0 ? one : other).schedule("fax", "" + i, "well", Instant.now()))
                        .isTrue();
            }
            Queue<DurableEnd> noted = with.context().getBean(Faxes.class).ends;
            Queue<DurableEnd> unnoted = without.context().getBean(Faxes.class).ends;
            await().atMost(PATIENCE).until(() -> noted.size() + unnoted.size() == count);
            assertThat(rows(with.context(), "fax", noted.size()))
                    .extracting(HistoryRow::instance)
                    .containsExactlyInAnyOrderElementsOf(
                            noted.stream().map(DurableEnd::id).toList());
        }
    }

    @Test
    void steeringOverJmxIsToldOnceThoughItsThreadHasAName() throws Exception {
        List<String> arguments = new ArrayList<>();
        for (String setting : settings("a", "spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=*")) {
            arguments.add("--" + setting);
        }
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(NoWeb.class)
                .web(WebApplicationType.NONE)
                .run(arguments.toArray(String[]::new))) {
            rowsOfFaxes(context);
            SteeredBy.name("a thread").run(() -> {
                assertThat(steer("2", "retry")).isNull();
                assertThat(steer("9", "retry")).contains("No durable task 9");
            });
            assertThat(rows(context, "fax", 4).get(1))
                    .extracting(HistoryRow::by, HistoryRow::attempt)
                    .containsExactly("JMX", 3);
            assertThat(audit(context, 2))
                    .extracting(AuditEntry::instance, AuditEntry::action, AuditEntry::channel, AuditEntry::who)
                    .containsExactlyInAnyOrder(tuple("2", "retry", "jmx", "JMX"), tuple("9", "retry", "jmx", "JMX"));
        }
    }

    private static void rowsOfFaxes(ConfigurableApplicationContext context) {
        DurableTasks tasks = context.getBean(DurableTasks.class);
        assertThat(tasks.schedule("fax", "2", "broken", Instant.now())).isTrue();
        assertThat(rows(context, "fax", 2))
                .extracting(HistoryRow::outcome)
                .containsExactly(HistoryOutcome.GIVEN_UP, HistoryOutcome.FAILURE);
    }

    /** Steers a fax; returns the message of its refusal, null if it was done. */
    private static @Nullable String steer(String id, String action) {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        try {
            ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Wheeldurable");
            MBeanParameterInfo[] parameters = Stream.of(beans.getMBeanInfo(name).getOperations())
                    .filter(operation -> operation.getName().equals("steer"))
                    .findFirst()
                    .orElseThrow()
                    .getSignature();
            Object[] arguments = Stream.of(parameters)
                    .map(parameter -> switch (parameter.getName()) {
                        case "kind" -> "tasks";
                        case "name" -> "fax";
                        case "id" -> id;
                        case "action" -> action;
                        default -> null;
                    })
                    .toArray();
            Object ignored = beans.invoke(
                    name,
                    "steer",
                    arguments,
                    Stream.of(parameters).map(MBeanParameterInfo::getType).toArray(String[]::new));
            return null;
        } catch (MBeanException ex) {
            return String.valueOf(ex.getMessage());
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class NoWeb {

        @DurableHandler(value = "fax", maxRetries = 1, backOff = "10ms")
        void fax(String text) {
            throw new IllegalStateException("no paper");
        }
    }
}
