package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.Answer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are refused over HTTP, each with the reason. */
interface EndpointRefusing extends EndpointCalls {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {'action': 'retime'}                                         | exactly one of fixedRate, fixedDelay, cron and once
            {'action': 'retime', 'fixedRate': '1s', 'fixedDelay': '1s'}  | exactly one of fixedRate, fixedDelay, cron and once
            {'action': 'retime', 'fixedRate': 'soon'}                    | fixedRate must be a duration such as 5s, was soon
            {'action': 'retime', 'fixedRate': '-1s'}                     | period must be positive
            {'action': 'retime', 'fixedDelay': '0s'}                     | delay must be positive
            {'action': 'retime', 'cron': 'every day'}                    | every day
            {'action': 'retime', 'cron': '0 0 0 31 2 *'}                 | must have a time in the future
            {'action': 'retime', 'cron': '0 0 3 * * *', 'zone': 'Mars'}  | zone must be a time zone
            {'action': 'retime', 'fixedRate': '1s', 'zone': 'UTC'}       | zone must only be given with cron
            {'action': 'retime', 'once': 'tomorrow'}                     | once must be an instant such as 2030-01-01T12:00:00Z, was tomorrow
            {'action': 'retime', 'once': '2040-01-01T12:00Z', 'cron': '@daily'} | exactly one of
            {'action': 'pause', 'fixedRate': '1s'}                       | only be given with the action retime
            {'action': 'stop'}                                           | action must be trigger, pause, resume, reset, interrupt, retime or, over HTTP, stack, was stop
            {}                                                           | action must be trigger, pause, resume, reset, interrupt, retime
            """)
    default void aBadRequestIsRefusedWithTheReasonAndChangesNothing(String json, String reason) {
        String id = "steady";
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            Answer before = read(id);
            Answer answer = steer(id, json);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(reason);
            Answer after = read(id);
            assertThat(after.at("schedule")).isEqualTo(before.at("schedule"));
            assertThat(after.at("state")).isEqualTo("PENDING");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    default void intervalBeyondAllMeasureIsNoErrorOfTheServer() {
        String id = "seldom";
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            steerWell(id, "{'action': 'retime', 'fixedRate': '20000000000000h'}");
            assertThat(Instant.parse(read(id).textAt("next")))
                    .isAfter(Instant.now().plus(Duration.ofDays(36_500)));
            steerWell(id, "{'action': 'trigger'}");
            awaitThat(() -> assertThat(read(id).numberAt("runs")).isPositive());
            Answer refused = steer(id, "{'action': 'retime', 'fixedRate': '999999999999999999999s'}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.textAt("error")).contains("fixedRate must be a duration");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"action\": \"stop\"}", "{}"})
    default void aSchedulerKnowsNoOtherAction(String json) {
        Answer answer = server().post(ENDPOINT, json);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains("action must be pause, resume, run, halt or off");
    }

    @ParameterizedTest
    @ValueSource(strings = {"id", "segments"})
    default void aTaskThatIsNamedOnceMoreMustBeThatOfThePath(String name) {
        for (String body : List.of("{'action': 'pause', '%s': '%s'}", "{'action': 'explode', '%s': '%s'}")) {
            Answer answer = steer(Jobs.REST, body.formatted(name, Jobs.YEARLY));
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(name + " must ");
        }
        String query = Jobs.REST + "?" + name + "=";
        for (Answer answer : List.of(
                steer(query + Jobs.YEARLY, "{'action': 'pause'}"),
                steer(query + "a&" + name + "=" + Jobs.REST, "{'action': 'pause'}"),
                server().get(ENDPOINT + "/" + query + Jobs.YEARLY),
                server().get(ENDPOINT + "/" + query + Jobs.YEARLY + "&" + name + "=" + Jobs.REST))) {
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains(name + " must ");
        }
        assertThat(read(Jobs.YEARLY).textAt("state")).isEqualTo("PENDING");
        assertThat(read(Jobs.REST).textAt("state")).isEqualTo("PENDING");
    }

    @Test
    default void taskMayBeNamedOnceMoreAsInThePath() {
        String query = "?id=" + Jobs.PAUSE_AFTER;
        assertThat(read(Jobs.PAUSE_AFTER + query).textAt("id")).isEqualTo(Jobs.PAUSE_AFTER);
        steerWell(Jobs.PAUSE_AFTER + query, "{'action': 'resume', 'id': '" + Jobs.PAUSE_AFTER + "'}");
    }

    @Test
    default void answerRepeatsLittleOfWhatIsLong() {
        String much = "x".repeat(5_000);
        for (Answer answer : List.of(
                server().get(ENDPOINT + "/" + much),
                server().get(ENDPOINT + "?scheduler=" + much),
                server().get(ENDPOINT + "?limit=" + much),
                steer(much, "{'action': 'pause'}"),
                steer(Jobs.REST, "{'action': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'pause', 'id': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'fixedRate': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'once': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': '" + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': '* * * * * " + much + "'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': '@daily', 'zone': '" + much + "'}"),
                server().post(ENDPOINT, "{\"action\": \"" + much + "\"}"))) {
            assertThat(answer.status()).isIn(400, 404);
            assertThat(answer.textAt("error").toLowerCase(Locale.ROOT))
                    .contains("x")
                    .doesNotContain("x".repeat(201));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u0000", "\\u001b", "\\u202e", "\\u2028", "\\ud83d"})
    default void anAnswerRepeatsWhatIsNotSeenAsAQuestionMark(String escaped) {
        for (Answer answer : List.of(
                steer(Jobs.REST, "{'action': 'a" + escaped + "z'}"),
                steer(Jobs.REST, "{'action': 'pause', 'id': 'a" + escaped + "z'}"),
                steer(Jobs.REST, "{'action': 'retime', 'cron': 'a" + escaped + "z'}"),
                steer(Jobs.REST, "{'action': 'retime', 'once': 'a" + escaped + "z'}"))) {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.textAt("error")).containsPattern("a\\??z");
        }
    }

    @Test
    default void bodyThatIsNoObjectOfTextsAndNumbersIsRefused() {
        for (String body : List.of(
                "[]",
                "1",
                "'pause'",
                "{",
                "{'action': 'pause'",
                "{'action': {'pause': true}}",
                "{'action': ['pause']}",
                "{'action': null}",
                "{'action': true}",
                "{'action': 'pause', 'id': {}}",
                "{'action': 'retime', 'fixedRate': [1, 2]}",
                "{'action': 'retime', 'fixedRate': 1e400}",
                "{'action': 'stack', 'preview': 1}",
                "{'action': " + "[".repeat(20_000) + "}")) {
            for (String path : List.of(ENDPOINT, ENDPOINT + "/" + Jobs.REST)) {
                Answer answer = server().post(path, body.replace('\'', '"'));
                assertThat(answer.status()).as("%s: %s", body, answer.text()).isEqualTo(400);
            }
        }
        assertThat(server().wheel().isRunning()).isTrue();
        assertThat(read(Jobs.REST).textAt("state")).isEqualTo("PENDING");
    }

    @Test
    default void cronBeyondMeasureIsRefused() {
        Answer answer = steer(Jobs.REST, "{'action': 'retime', 'cron': '" + "0,".repeat(100) + "0 0 0 * * *'}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains("cron must have at most 200 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fixedRate", "fixedDelay"})
    default void anIntervalBelowTheFloorIsRefused(String kind) {
        String id = "floor/" + kind;
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            for (String interval : List.of("1ns", "999us", "PT0.000999999S")) {
                Answer answer = steer(id, "{'action': 'retime', '" + kind + "': '" + interval + "'}");
                assertThat(answer.status()).as(answer.text()).isEqualTo(400);
                assertThat(answer.textAt("error")).contains("must be at least").contains(interval);
            }
            assertThat(read(id).textAt("schedule.kind")).isEqualTo("once");
            assertThat(steerWell(id, "{'action': 'retime', '" + kind + "': '1ms'}")
                            .textAt("schedule.text"))
                    .isEqualTo("PT0.001S");
        } finally {
            assertThat(task.cancel(false)).isTrue();
        }
    }

    @Test
    default void instantThatIsLongPastIsRefused() {
        String id = "past";
        ScheduledFuture<?> task = server().wheel().getTaskRegistry().schedule(id, () -> {}, tomorrow());
        try {
            Answer answer = steer(
                    id,
                    "{'action': 'retime', 'once': '"
                            + Instant.now().minusSeconds(5).atOffset(ZoneOffset.UTC) + "'}");
            assertThat(answer.status()).as(answer.text()).isEqualTo(400);
            assertThat(answer.textAt("error")).contains("once must not be in the past");
            assertThat(read(id).numberAt("runs")).isZero();
            steerWell(id, "{'action': 'retime', 'once': '" + Instant.now() + "'}");
            awaitThat(() -> assertThat(read(id).numberAt("runs")).isEqualTo(1));
        } finally {
            task.cancel(false);
        }
    }

    @Test
    default void scheduleCannotBeGivenWithAReset() {
        Answer answer = steer(Jobs.REST, "{'action': 'reset', 'fixedRate': '1s'}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.textAt("error")).contains("only be given with the action retime");
    }
}
