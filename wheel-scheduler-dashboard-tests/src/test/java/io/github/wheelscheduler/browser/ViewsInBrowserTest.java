package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** Each view as people see it, in both colours, on a phone, and as programs that read it aloud see it. */
@InBrowser
class ViewsInBrowserTest {

    private static final int PHONE = 360;

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.startWithDurableTasks(
                DurableShop.class,
                "wheel.scheduler.durable.node=shop-node",
                "wheel.scheduler.trace-url=https://tracer.example/trace/{traceId}");
        server.wheel().setTraceIds(failure -> "4bf92f");
        server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The pictures are for people to look at. */
    @ParameterizedTest
    @CsvSource({
        "overview, view-overview, ''",
        "day, view-day, view=day",
        "tasks, view-tasks, view=tasks",
        "task-failing, view-task, view=task&id=warehouse.sync",
        "task-running, view-task, view=task&id=catalogue.export",
        "task-cron, view-task, view=task&id=invoices.send",
        "durable, view-durable, view=durable"
    })
    void viewHasNoBarrier(String name, String view, String query, Browser browser) {
        browser.open(server.dashboard("live=1&" + query));
        browser.one(hook(view));
        browser.awaitAnswers(2);
        browser.screenshot(name + "-light");
        assertThat(browser.barriers()).as("light").isEmpty();
        browser.dark(true);
        browser.awaitAnswers(1);
        browser.screenshot(name + "-dark");
        assertThat(browser.barriers()).as("dark").isEmpty();
        browser.width(PHONE);
        browser.screenshot(name + "-phone");
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .as("a width of %s", PHONE)
                .isLessThanOrEqualTo(PHONE);
        assertThat(browser.barriers()).as("phone").isEmpty();
    }

    @Test
    void overviewSaysWhyItIsLate(Browser browser) {
        browser.open(server.dashboard());
        browser.awaitText(hook("findings"), Shop.SYNC);
        browser.awaitText(hook("scheduler") + "[data-name='reports']", "group");
        browser.awaitText(hook("attention"), Shop.SYNC);
        browser.awaitThat(
                "a wheel that is drawn",
                () -> !browser.all(hook("wheel") + " path:not(.shade0)").isEmpty());
    }

    /** Both need a second answer, which at this rate would be 30 s away. */
    @Test
    void wheelAndPlotAreDrawnSoonAfterThePageIsOpened(Browser browser) {
        browser.open(server.dashboard("live=30"));
        browser.awaitThat(
                "a wheel and a plot that are drawn",
                () -> !browser.all(hook("wheel") + " path:not(.shade0)").isEmpty()
                        && !browser.all(".plot canvas").isEmpty());
        assertThat((Boolean) browser.script("return performance.now() < 20_000"))
                .as("drawn before the page looks by its rate")
                .isTrue();
    }

    /** On a phone, the label of an hour takes as much room as three hours, which are an eighth of the day. */
    @Test
    void dayHasNoHourThatIsCutOff(Browser browser) {
        browser.open(server.dashboard("view=day"));
        browser.awaitThat("hours", () -> !browser.all(".hours span").isEmpty());
        assertThat(browser.script("return [...document.querySelectorAll('.hours span')]"
                        + ".filter(hour => parseFloat(hour.style.left) >= 87.5).length"))
                .isEqualTo(0L);
    }

    @Test
    void dayShowsWhatStartsTogether(Browser browser) {
        browser.open(server.dashboard("view=day"));
        browser.awaitText(hook("tonight"), "with ");
        browser.click(hook("view-day") + " summary");
        browser.awaitText(hook("together"), "reports.nightly");
        assertThat(browser.text(hook("together"))).contains("sessions.cleanup");
    }

    @Test
    void taskShowsItsScheduleAndItsLastError(Browser browser) {
        browser.open(server.dashboard("view=task&id=" + Shop.INVOICES));
        browser.awaitText(hook("words"), "every weekday at 9:00");
        browser.awaitThat(
                "five runs ahead",
                () -> browser.all(hook("upcoming") + " tbody tr").size() == 5);
        assertThat(browser.text(hook("upcoming"))).contains("09:00:00 Europe/Berlin");
        browser.open(server.dashboard("view=task&id=" + Shop.SYNC));
        browser.awaitText(hook("last-error"), "The warehouse does not answer");
        assertThat(browser.text(hook("trace"))).contains("Shop.syncWarehouse");
    }

    @Test
    void failureLeadsToItsTrace(Browser browser) {
        String link = " a[href='https://tracer.example/trace/4bf92f'][rel='noopener noreferrer']";
        browser.open(server.dashboard("view=task&id=" + Shop.SYNC));
        assertThat(browser.one(hook("last-error") + link).getText()).isEqualTo("4bf92f");
        browser.awaitThat(
                "a link in the list of runs",
                () -> !browser.all(hook("view-task") + " tbody" + link).isEmpty());
        browser.open(server.dashboard("view=overview"));
        browser.awaitThat(
                "a link beside the finding",
                () -> browser.all("#findings li" + link).size() == 1);
    }

    @Test
    void durableTasksShowOwnerAndNode(Browser browser) {
        browser.open(server.dashboard("view=durable"));
        browser.awaitText(hook("view-durable"), "accounts.close");
        browser.awaitText(hook("durable-nodes"), "shop-node");
    }

    @Test
    void filtersAreInTheAddressSoThatReloadAndBackKeepThem(Browser browser) {
        browser.open(server.dashboard("view=tasks"));
        browser.type(hook("search"), "REPORTS");
        browser.awaitText(hook("total"), "1 task");
        browser.choose(hook("sort"), "next asc");
        browser.awaitThat("an address with the order", () -> browser.address().contains("sort=next"));
        browser.reload();
        browser.awaitText(hook("total"), "1 task");
        assertThat(browser.one(hook("search")).getAttribute("value")).isEqualTo("REPORTS");
        browser.click(rowOf("reports.nightly") + " " + hook("task-link"));
        browser.one(hook("view-task"));
        browser.back();
        browser.awaitText(hook("total"), "1 task");
        assertThat(browser.address()).contains("text=REPORTS", "sort=next");
        assertThat(browser.one(hook("search")).getAttribute("value")).isEqualTo("REPORTS");
    }

    @Test
    void linkKeepsHowOftenThePageIsUpdated(Browser browser) {
        browser.open(server.dashboard("live=30"));
        browser.awaitText(hook("view-overview"), "taskScheduler");
        browser.click("#live label:has([value=off])");
        browser.awaitThat("no updates", () -> browser.address().contains("live=off"));
        browser.click(hook("view-overview") + " a[href*='view=day']");
        browser.one(hook("view-day"));
        assertThat(browser.address()).contains("view=day", "live=off");
    }

    /** A page that comes over plain HTTP from another machine has no clipboard. */
    @Test
    void idIsCopiedOverPlainHttp(Browser browser) {
        browser.open(server.dashboard("view=task&id=" + Shop.INVOICES).replace("localhost", Browser.PLAIN_HOST));
        browser.click(hook("task-id"));
        assertThat(browser.script("return isSecureContext")).isEqualTo(false);
        browser.awaitText(hook("announce"), "Copied " + Shop.INVOICES);
        browser.click(hook("nav-tasks"));
        browser.one(hook("search")).sendKeys(Keys.chord(Keys.CONTROL, "v"));
        browser.awaitText(hook("total"), "1 task");
        assertThat(browser.one(hook("search")).getAttribute("value")).isEqualTo(Shop.INVOICES);
    }

    @Test
    void textIsNeverMarkup(Browser browser) {
        try (Server evil = Server.startWithDurableTasks(
                EvilShop.class,
                "spring.application.name=" + EvilShop.MARKUP,
                "wheel.scheduler.durable.node=<img src=x>")) {
            EvilShop.fill(evil);
            for (String query : List.of(
                    "", "view=day&often=yes", "view=tasks", "view=durable", "view=task&id=" + EvilShop.encoded())) {
                browser.open(evil.dashboard("live=1&" + query));
                browser.awaitText(hook("view"), EvilShop.MARKUP);
                browser.awaitText(hook("application"), EvilShop.MARKUP);
                browser.awaitAnswers(1);
                assertThat(browser.all("img[src=x]")).as(query).isEmpty();
                assertThat(browser.script("return window.hit ?? null"))
                        .as(query)
                        .isNull();
            }
            assertThat(browser.text(hook("last-error"))).contains(EvilShop.MARKUP);
            browser.click(hook("pause"));
            browser.awaitText(hook("note-ok"), EvilShop.MARKUP);
            browser.click(hook("retime"));
            browser.awaitText(hook("retime-dialog"), EvilShop.MARKUP);
            assertThat(browser.all("img[src=x]")).isEmpty();
            browser.leave();
        }
    }
}
