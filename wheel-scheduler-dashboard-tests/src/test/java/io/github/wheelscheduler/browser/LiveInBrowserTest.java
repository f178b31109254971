package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.task.TaskInfo;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the page does while answers are late, come from elsewhere, or do not come. */
@InBrowser
class LiveInBrowserTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** It asks each second. */
    private static final Duration QUIET = Duration.ofSeconds(4);

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void pageSaysThatTheApplicationIsGoneAndComesBack(Browser browser) {
        browser.expect("net::ERR_");
        int port;
        try (Server first = Server.start()) {
            port = first.port();
            browser.open(first.dashboard("live=1&view=task&id=" + Shop.RATES));
            browser.awaitText(hook("view-task"), Shop.RATES);
        }
        browser.awaitText(hook("problem"), "does not answer");
        assertThat(browser.text(hook("view-task"))).contains(Shop.RATES);
        try (Server second = Server.start("server.port=" + port)) {
            browser.awaitHidden(hook("problem"));
            browser.click(hook("pause"));
            browser.awaitThat("a paused task", () -> second.task(Shop.RATES).state() == TaskInfo.State.PAUSED);
            browser.leave();
        }
    }

    @Test
    void buttonAsksAlsoAfterAFailedUpdate(Browser browser) throws IOException {
        browser.expect("503");
        try (Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?live=off&view=tasks"));
            browser.one(rowOf(Shop.RATES));
            proxy.takeDown(target -> target.contains("/wheelscheduler"));
            browser.click(hook("look"));
            browser.awaitText(hook("problem"), "Not available now");
            browser.click(hook("bulk-trigger"));
            browser.awaitText(hook("ask"), "Trigger 10 tasks?");
            browser.click(hook("ask") + " " + hook("cancel"));
            browser.leave();
        }
    }

    @Test
    void pageAsksNothingWhileItsTabIsHidden(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?live=1"));
            browser.awaitAnswers(1);
            Object unused = browser.script("window.states = [];"
                    + "document.addEventListener('visibilitychange', () => states.push(document.visibilityState))");
            browser.doHidden(
                    () -> await().atMost(PATIENCE).until(() -> proxy.quietFor().compareTo(QUIET) > 0));
            browser.awaitAnswers(2);
            assertThat(browser.script("return states")).isEqualTo(List.of("hidden", "visible"));
            browser.leave();
        }
    }

    @Test
    void viewThatWasLoadingInAHiddenTabIsShown(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?live=off"));
            browser.awaitText(hook("view-overview"), "taskScheduler");
            proxy.hold(target -> target.contains("sort=urgency"));
            browser.click(hook("nav-tasks"));
            browser.awaitThat("a request that is held", proxy::isHolding);
            hide(browser, true);
            proxy.hold(target -> false);
            hide(browser, false);
            browser.one(rowOf(Shop.RATES));
            browser.awaitHidden(hook("loading"));
            browser.leave();
        }
    }

    private static void hide(Browser browser, boolean isHidden) {
        browser.script("""
                Object.defineProperty(document, 'hidden', {value: arguments[0], configurable: true});
                document.dispatchEvent(new Event('visibilitychange'));
                """, isHidden);
    }

    @Test
    void slowAnswerNeverOverwritesANewerOne(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.hold(target -> target.contains("text=orders"));
            browser.open(proxy.url("/actuator/wheeldashboard?view=tasks&live=off"));
            browser.one(rowOf(Shop.RATES));
            browser.type(hook("search"), "orders");
            browser.awaitThat("a request that is held", proxy::isHolding);
            browser.type(hook("search"), "rates");
            browser.awaitText(hook("total"), "1 task");
            browser.one(rowOf(Shop.RATES));
            proxy.release();
            browser.awaitThat("an answer that has been given", () -> !proxy.isHolding());
            browser.lookNow();
            assertThat(browser.all(rowOf("orders.import"))).isEmpty();
            assertThat(browser.all(rowOf(Shop.RATES))).hasSize(1);
            browser.leave();
        }
    }

    @Test
    void pageKeepsToOneNodeOfSeveralAndAsksBeforeItSteers(Browser browser) throws IOException {
        try (Server other = Server.start();
                Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?live=1&view=task&id=" + Shop.RATES));
            browser.awaitText(hook("view-task"), Shop.RATES);
            browser.awaitText(hook("footer"), String.valueOf(server.port()));
            server.wheel().getTaskRegistry().pause(Shop.RATES);
            browser.awaitText(hook("task-state"), "paused");

            proxy.forwardTo(other.port());
            browser.awaitText(hook("nodes"), "Several nodes");
            assertThat(browser.text(hook("task-state"))).contains("paused");
            browser.click(hook("trigger"));
            browser.awaitText(hook("ask"), "the page cannot choose which");
            browser.click(hook("ask") + " " + hook("cancel"));
            browser.click(hook("swap-node"));
            browser.awaitText(hook("task-state"), "pending");
            browser.leave();
        } finally {
            server.wheel().getTaskRegistry().resume(Shop.RATES);
        }
    }

    /** As one to a trace may be. */
    @Test
    void linkToAnotherServerIsLeftAlone(Browser browser) {
        browser.open(server.dashboard());
        browser.awaitText(hook("view-overview"), "taskScheduler");
        assertThat(browser.script("""
                const link = document.createElement('a');
                link.href = 'https://tracer.example' + location.pathname;
                document.body.append(link);
                let isFollowed = null;
                addEventListener('click', event => {
                    isFollowed = event.defaultPrevented;
                    event.preventDefault();
                });
                link.click();
                return isFollowed;
                """)).isEqualTo(false);
    }

    @Test
    void eachCheckThatFailedIsShown(Browser browser) throws IOException {
        String failed = "{\"rule\":\"findings\",\"severity\":\"WARNING\",\"tasks\":0,\"text\":\"Problems of %s\"}";
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.change(json -> json.replaceAll(
                    "\"findings\":\\[.*?\\}\\]",
                    "\"findings\":[" + failed.formatted("disks") + "," + failed.formatted("queues") + "]"));
            browser.open(proxy.url("/actuator/wheeldashboard?live=1"));
            browser.awaitText("#findings-list", "Problems of disks");
            browser.awaitText("#findings-list", "Problems of queues");
            browser.leave();
        }
    }

    @Test
    void taskWithoutRunsHasNone(Browser browser) {
        browser.open(server.dashboard("view=task&id=" + Shop.RATES));
        browser.awaitText(hook("footer"), "process started ");
        assertThat(browser.one(hook("view-task") + " .runs").getAttribute("aria-label"))
                .isEqualTo("No runs");
    }

    @Test
    void findingThatBecomesWorseIsMarkedAnew(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.change(json -> json.replaceAll("\"severity\":\"\\w+\"", "\"severity\":\"WARNING\""));
            browser.open(proxy.url("/actuator/wheeldashboard?live=1"));
            browser.awaitText("#findings-list li.warning .badge", "warning");
            proxy.change(json -> json.replaceAll("\"severity\":\"\\w+\"", "\"severity\":\"ERROR\""));
            browser.awaitText("#findings-list li.failing .badge", "error");
            assertThat(browser.all("#findings-list li.warning")).isEmpty();
            browser.leave();
        }
    }

    /** A run may begin or end after the server has read its clock for the answer. */
    @Test
    void pastOfALaterInstantIsNow(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
            proxy.change(
                    json -> json.replaceAll("\"(start|runningSince)\":\"[^\"]+\"", "\"$1\":\"2999-01-01T00:00:00Z\""));
            browser.open(proxy.url("/actuator/wheeldashboard?live=1&view=tasks"));
            browser.awaitText(rowOf(Shop.EXPORT), "running for 0 s");
            browser.awaitText(rowOf(Shop.SYNC), "failed 0 s ago");
            browser.leave();
        }
    }

    @Test
    void largeNumberStaysExact(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.change(json -> json.replaceAll("\"skips\":\\d+", "\"skips\":9007199254740993"));
            browser.open(proxy.url("/actuator/wheeldashboard?view=task&id=" + Shop.RATES));
            browser.awaitText(hook("view-task"), "9,007,199,254,740,993");
            browser.leave();
        }
    }
}
