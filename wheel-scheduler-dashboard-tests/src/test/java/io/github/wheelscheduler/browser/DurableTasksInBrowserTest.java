package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An operator searches durable tasks, reads one, and steers all that match. */
@InBrowser
class DurableTasksInBrowserTest {

    private static Server server;

    @BeforeAll
    static void start() {
        server = newServer("management.endpoint.wheeldurable.show-values=always");
    }

    private static Server newServer(String... properties) {
        return Server.startWithDurableTasks(
                BusyDurableShop.class,
                Stream.concat(
                                Stream.of(
                                        "wheel.scheduler.durable.node=till",
                                        // One of its tasks runs until the last test.
                                        "wheel.scheduler.durable.close-limit=1s",
                                        "logging.level.io.github.wheelscheduler=off"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        BusyDurableShop.release();
        server.close();
    }

    @Test
    void handlersLeadToTheirTasks(Browser browser) {
        browser.open(server.dashboard("view=durable"));
        browser.awaitText(hook("durable-handlers"), "stocktaking");
        assertThat(browser.text(hook("durable-handlers"))).contains("invoice", "delivery", "no node has it");
        browser.click(hook("durable-handlers") + " a[href*='handler=invoice'][href*='state=scheduled']");
        browser.awaitText(hook("durable-tasks"), "4711");
        assertThat(browser.text(hook("durable-tasks"))).doesNotContain("Ada");
    }

    /** A count is a link unless it is 0. */
    @Test
    void countComesBackAfterItWasZero(Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?view=durable&live=off"));
            browser.awaitText(hook("durable-handlers"), "stocktaking");
            for (String failed : List.of("7", "0", "7")) {
                proxy.change(json -> json.replaceAll("\"failed\":\\d+", "\"failed\":" + failed));
                browser.lookNow();
                assertThat(browser.text(hook("durable-handlers") + " td[data-label=Failed]"))
                        .isEqualTo(failed);
            }
            browser.leave();
        }
    }

    @Test
    void recurringTasksOfBothKindsAreListedAndSteered(Browser browser) {
        try (Server other = newServer()) {
            browser.open(other.dashboard("view=durable&live=1"));
            browser.awaitText(hook("durable-recurring"), "customer-7");
            browser.awaitText(hook("durable-recurring"), "closing");
            assertThat(browser.text(hook("durable-recurring")))
                    .contains("invoice", "cron 0 0 3 1 1 *", "cron 0 0 4 1 1 *")
                    .doesNotContain("Bob", "paused");
            // By id: the one that was made at run time comes second.
            String made = hook("durable-recurring") + " tbody tr:nth-child(2)";
            browser.click(made + " " + hook("pause"));
            browser.awaitText(made, "paused");
            browser.leave();
        }
    }

    @Test
    void idAndErrorAreSearched(Browser browser) {
        browser.open(server.dashboard("view=durable"));
        browser.type(hook("durable-id"), "471*\n");
        browser.awaitText(hook("durable-tasks"), "4711");
        browser.type(hook("durable-id"), "\n");
        browser.awaitThat("an address without the id", () -> !browser.address().contains("471"));
        browser.type(hook("durable-error"), "DRIVER\n");
        browser.awaitText(hook("view-durable"), "newest 10,000 failed tasks by due time, the first 500 characters");
        browser.awaitText(hook("durable-tasks"), "No driver");
        browser.click(hook("durable-after"));
        browser.awaitThat(
                "the address of the next page", () -> browser.address().contains("after="));
        browser.type(hook("durable-error"), "no such words\n");
        browser.awaitText(hook("view-durable"), "No tasks match.");
    }

    @Test
    void runOfThisNodeIsRunning(Browser browser) {
        browser.open(server.dashboard("view=durable&state=claimed"));
        browser.awaitText(hook("durable-tasks"), "hall-1");
        browser.awaitText(hook("durable-tasks") + " .badge", "running for");
        browser.click(hook("durable-tasks") + " a.id");
        browser.awaitText(hook("durable-task-state"), "running for");
        browser.awaitText(hook("view-durable-task"), "till");
    }

    @Test
    void payloadIsShownWhenItIsAskedFor(Browser browser) {
        browser.open(server.dashboard("view=durable-task&handler=invoice&id=4711&live=1"));
        browser.awaitText(hook("durable-task-state"), "scheduled");
        assertThat(browser.text(hook("view-durable-task"))).doesNotContain("Ada");
        browser.click(hook("show-payload"));
        browser.awaitText(hook("durable-payload"), "{\"customer\":\"Ada\",\"items\":2}");
        browser.awaitAnswers(1);
        assertThat(browser.text(hook("durable-payload"))).contains("Ada");
        assertThat(browser.barriers()).isEmpty();
    }

    @Test
    void recurringTaskHasItsPageAndPayload(Browser browser) {
        browser.open(server.dashboard("view=durable"));
        browser.click(hook("durable-recurring") + " a.id[href*=customer-7]");
        browser.awaitText(hook("durable-task-state"), "scheduled");
        assertThat(browser.text(hook("view-durable-task")))
                .contains("customer-7", "invoice", "cron 0 0 3 1 1 *")
                .doesNotContain("Bob");
        browser.click(hook("show-payload"));
        browser.awaitText(hook("durable-payload"), "{\"customer\":\"Bob\",\"items\":1}");
        assertThat(browser.barriers()).isEmpty();
        browser.open(server.dashboard("view=durable-task&id=closing"));
        browser.awaitText(hook("view-durable-task"), "The task has no payload.");
        browser.awaitText(hook("view-durable-task"), "method");
    }

    @Test
    void recurringTaskThatIsNotThereIsSaidToBe(Browser browser) {
        browser.expect("404");
        browser.open(server.dashboard("view=durable-task&id=none"));
        browser.awaitText(hook("durable-task-gone"), "There is no recurring task none.");
    }

    @Test
    void hiddenPayloadIsSaidToBe(Browser browser) {
        try (Server other = newServer("management.endpoint.wheeldurable.access=read-only")) {
            browser.open(other.dashboard("view=durable-task&handler=invoice&id=4711"));
            browser.awaitText(hook("view-durable-task"), "Payloads are hidden.");
            browser.awaitHidden(hook("show-payload"));
            assertThat(browser.all(hook("cancel"))).isEmpty();
            browser.open(other.dashboard("view=durable-task&id=customer-7"));
            browser.awaitText(hook("view-durable-task"), "Payloads are hidden.");
            browser.awaitHidden(hook("show-payload"));
            browser.leave();
        }
    }

    @Test
    void goneTaskIsSaidToBe(Browser browser) {
        browser.expect("404");
        browser.open(server.dashboard("view=durable-task&handler=invoice&id=none"));
        browser.awaitText(
                hook("durable-task-gone"),
                "invoice has no one-time task none: it has finished, was cancelled, or is a recurring one.");
    }

    /** A browser would ask for the path that is left of it. */
    @Test
    void addressOfDotsLeadsToNoOtherPath(Browser browser) {
        browser.expect("404");
        browser.open(server.dashboard("view=durable-task&handler=../..&id=health"));
        browser.awaitText(hook("durable-task-gone"), "../.. has no one-time task health");
    }

    @Test
    void taskIsRescheduledAndCancelled(Browser browser) {
        try (Server other = newServer()) {
            browser.open(other.dashboard("view=durable-task&handler=invoice&id=4711&live=1"));
            browser.click(hook("reschedule"));
            browser.script("document.getElementById('durable-at').value = '2090-05-06T07:08:09'");
            browser.click(hook("reschedule-dialog") + " " + hook("confirm"));
            browser.awaitText(hook("view-durable-task"), "2090-05-06 07:08:09");
            browser.click(hook("cancel"));
            browser.click(hook("ask") + " " + hook("confirm"));
            browser.expect("404");
            browser.awaitText(hook("durable-task-gone"), "invoice has no one-time task 4711");
            browser.leave();
        }
    }

    @Test
    void unchangedTimeOfAnHourThatComesTwiceStays(Browser browser) throws IOException {
        String due = "2030-10-27T01:30:00Z";
        try (Server other = newServer();
                Proxy proxy = Proxy.start("", other.port())) {
            proxy.change(json -> json.replace("2100-01-01T00:00:00Z", due));
            browser.zone("Europe/Berlin");
            browser.open(proxy.url("/actuator/wheeldashboard?view=durable-task&handler=invoice&id=4711&live=off"));
            browser.click(hook("reschedule"));
            assertThat(browser.one("#durable-at").getAttribute("value")).startsWith("2030-10-27T02:30");
            browser.click(hook("reschedule-dialog") + " " + hook("confirm"));
            browser.awaitText(hook("note-ok"), "4711: rescheduled");
            proxy.change(json -> json);
            assertThat(String.valueOf(browser.scriptAsync("""
                    fetch(new URL('wheeldurable/tasks/invoice?id=4711', location))
                        .then(answer => answer.text()).then(arguments[0]);
                    """))).contains(due);
            browser.leave();
        }
    }

    @Test
    void rescheduleWithoutATimeIsNotConfirmed(Browser browser) {
        browser.open(server.dashboard("view=durable-task&handler=invoice&id=4711"));
        browser.click(hook("reschedule"));
        browser.script("document.getElementById('durable-at').value = ''");
        browser.click(hook("reschedule-dialog") + " " + hook("confirm"));
        assertThat(browser.one("#durable-at").isDisplayed()).isTrue();
        assertThat(browser.script("return document.querySelector('#durable-at').matches(':invalid')"))
                .isEqualTo(true);
    }

    @Test
    void allThatFailedIsRetriedFromThePage(Browser browser) {
        try (Server other = newServer()) {
            browser.open(other.dashboard("view=durable&state=failed"));
            browser.click(hook("durable-retry-all"));
            browser.awaitText(hook("ask"), "Retry 1,100 tasks?");
            assertThat(browser.text(hook("ask"))).contains("All failed tasks");
            browser.click(hook("ask") + " " + hook("confirm"));
            browser.awaitText(hook("bulk-counts"), "1,100 done, 0 gone, 0 left. Finished.");
            browser.awaitHidden(hook("bulk-stop"));
            browser.click(hook("bulk-progress") + " " + hook("cancel"));
            browser.awaitText(hook("view-durable"), "No tasks match.");
            browser.leave();
        }
    }

    @Test
    void retryOfAllIsStoppedAndContinued(Browser browser) throws IOException {
        try (Server other = newServer();
                Proxy proxy = Proxy.start("", other.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?view=durable&state=failed&live=off"));
            browser.click(hook("durable-retry-all"));
            browser.awaitText(hook("ask"), "Retry 1,100 tasks?");
            proxy.hold(target -> target.contains("/wheeldurable/tasks"));
            browser.click(hook("ask") + " " + hook("confirm"));
            browser.awaitThat("a request that is held", proxy::isHolding);
            browser.click(hook("bulk-stop"));
            proxy.release();
            browser.awaitText(hook("bulk-counts"), "500 done, 0 gone, 600 left. Stopped.");
            browser.click(hook("bulk-continue"));
            browser.awaitText(hook("bulk-counts"), "1,100 done, 0 gone, 0 left. Finished.");
            browser.leave();
        }
    }
}
