package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sentences of the page, in the states in which they would be false. */
@InBrowser
class TrueStatementsInBrowserTest {

    private static final String WELL = "#findings-none";

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.startWithDurableTasks(
                TroubledShop.class, "wheel.scheduler.durable.node=till", "logging.level.io.github.wheelscheduler=off");
    }

    @AfterAll
    static void stop() {
        TroubledShop.release();
        server.close();
    }

    @Test
    void failingDurableTaskIsNamedAndMarked(Browser browser) {
        browser.open(server.dashboard("view=durable&live=1"));
        browser.awaitText(hook("view-durable"), "2 in a row");
        browser.awaitText(hook("findings"), TroubledShop.LEDGER);
        browser.awaitHidden(WELL);
        browser.awaitText(hook("view-durable") + " .badge.failing", "failing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "view=day", "view=tasks", "view=durable", "view=task&id=" + TroubledShop.STUBBORN})
    void viewWithoutAnAnswerIsLoading(String query, Browser browser) throws IOException {
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.hold(target -> target.contains("/actuator/wheelscheduler") || target.contains("/wheeldurable"));
            browser.open(proxy.url("/actuator/wheeldashboard?" + query));
            browser.awaitThat("a request that is held", proxy::isHolding);
            browser.awaitText(hook("loading"), "Loading");
            assertThat(browser.text("main")).isEqualToIgnoringWhitespace("Loading…");
            proxy.release();
            browser.awaitHidden(hook("loading"));
            assertThat(browser.text("#view")).isNotBlank();
            browser.leave();
        }
    }

    @Test
    void filterOfASchedulerHidesNoOtherTrouble(Browser browser) {
        try (Server shop = Server.start("logging.level.io.github.wheelscheduler=off")) {
            browser.open(shop.dashboard("view=tasks&live=1&scheduler=reports&group=reports"));
            browser.awaitText(hook("findings"), Shop.SYNC);
            browser.leave();
        }
    }

    @Test
    void durableViewSaysThatItIsNotThere(Browser browser) {
        try (Server shop = Server.start("logging.level.io.github.wheelscheduler=off")) {
            browser.open(shop.dashboard("view=durable"));
            browser.awaitText(hook("problem"), "Durable tasks are not available");
            assertThat(browser.one(hook("problem")).isDisplayed()).isTrue();
            browser.awaitHidden(hook("loading"));
            browser.leave();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "view=day", "view=tasks", "view=durable", "view=task&id=" + Shop.RATES})
    void pausedSchedulerIsSaidOnEachView(String query, Browser browser) {
        try (Server shop =
                Server.startWithDurableTasks(DurableShop.class, "logging.level.io.github.wheelscheduler=off")) {
            shop.wheel().stop();
            browser.open(shop.dashboard("live=1&" + query));
            browser.awaitText("#findings-list li:first-child", "The scheduler has been paused for ");
            assertThat(browser.one("#findings-list li:first-child").isDisplayed())
                    .isTrue();
            browser.leave();
        }
    }

    @Test
    void tasksOfAPausedSchedulerAreNotOverdue(Browser browser) {
        try (Server shop = Server.start(
                "logging.level.io.github.wheelscheduler=off",
                "wheel.scheduler.overdue.grace=0",
                "wheel.scheduler.overdue.shortest-grace=1ms")) {
            shop.wheel().stop();
            browser.open(shop.dashboard("live=1&view=tasks&text=orders.import"));
            browser.awaitText(rowOf("orders.import"), "scheduler paused");
            browser.awaitText(rowOf("orders.import"), "when its scheduler is resumed");
            assertThat(browser.text(rowOf("orders.import"))).doesNotContain("overdue");
            browser.click(rowOf("orders.import") + " " + hook("task-link"));
            browser.awaitText(hook("task-state"), "scheduler paused");
            browser.click(hook("trigger"));
            browser.awaitText(hook("note-ok"), "will run once taskScheduler is resumed");
            browser.leave();
        }
    }

    @Test
    void interruptedRunStillRunsUntilItHasEnded(Browser browser) {
        server.wheel().getTaskRegistry().trigger(TroubledShop.STUBBORN);
        browser.open(server.dashboard("live=1&view=task&id=" + TroubledShop.STUBBORN));
        browser.click(hook("interrupt"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("note-ok"), "interrupt sent");
        browser.awaitText(hook("view-task"), "interrupt sent, still running");
    }

    @Test
    void findingOfFailedTasksLeadsToThem(Browser browser) {
        browser.open(server.dashboard("live=1"));
        browser.click("#findings-list a[href*='state=failed']");
        browser.awaitText(hook("durable-tasks"), "4712");
        assertThat(browser.text(hook("durable-tasks"))).contains("delivery", "No driver");
    }

    @Test
    void offsetPastTheEndShowsTheLastPage(Browser browser) {
        browser.open(server.dashboard("view=tasks&offset=999999"));
        browser.one(rowOf(TroubledShop.STUBBORN));
        browser.awaitThat(
                "an address without the offset", () -> !browser.address().contains("offset"));
        assertThat(browser.text("nav[aria-label=Pages]")).doesNotContain("999,999");
    }

    @Test
    void emptyZoneIsThatOfTheTask(Browser browser) {
        browser.open(server.dashboard("view=task&id=" + TroubledShop.NIGHTLY));
        browser.click(hook("retime"));
        assertThat(browser.one("#zone").getAttribute("placeholder")).isEqualTo("America/New_York");
        browser.type(hook("retime-value"), "0 30 1 1-10 11 *");
        browser.click(hook("preview"));
        browser.awaitText(hook("retime-preview"), "01:30:00 America/New_York");
    }
}
