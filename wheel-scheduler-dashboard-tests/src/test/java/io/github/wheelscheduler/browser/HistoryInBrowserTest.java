package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An operator asks what ran, what failed, and who steered. */
@InBrowser
class HistoryInBrowserTest {

    private static final String ROWS = hook("history-rows");
    private static final String NIGHT = "view=history&range=night";

    private static Server server;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        server = Server.startWithDurableTasks(
                HistoryShop.class, "wheel.scheduler.history.node=app-1", "logging.level.io.github.wheelscheduler=off");
        HistoryShop.fill(server);
        steer(HistoryShop.SYNC, "trigger", "the nightly run failed");
        steer(HistoryShop.RATES, "trigger", "to be sure");
        steer(HistoryShop.RATES, "stop", "");
    }

    private static void steer(String task, String action, String reason) throws IOException, InterruptedException {
        int status = Server.post(
                server.url("/actuator/wheelscheduler/" + task),
                "{\"action\": \"%s\", \"reason\": \"%s\"}".formatted(action, reason));
        assertThat(status).isEqualTo(action.equals("stop") ? 400 : 200);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void lastNightIsOneClickAway(Browser browser) {
        browser.open(server.dashboard());
        browser.click(hook("nav-history"));
        browser.awaitText(ROWS, HistoryShop.SYNC);
        browser.click("label:has([value=night])");
        browser.awaitThat("runs of the night only", () -> !browser.text(ROWS).contains(HistoryShop.SYNC));
        assertThat(browser.text(ROWS)).contains("Disk 57 is full");
        assertThat(browser.address()).contains("range=night");
        browser.awaitText(hook("history-sums"), "60 runs, 20 failed");
        assertThat(browser.text(hook("view-history")))
                .contains("Times are in " + browser.script("return Intl.DateTimeFormat().resolvedOptions().timeZone"));
        assertThat(browser.barriers()).isEmpty();
    }

    @Test
    void rowsComeNewestFirstAndPageByPage(Browser browser) {
        browser.open(server.dashboard(NIGHT));
        browser.awaitThat("a full page", () -> browser.all(ROWS + " tbody tr").size() == 50);
        assertThat(browser.text(ROWS + " tbody tr:first-child")).contains("02:01:59");
        browser.click(hook("history-after"));
        browser.awaitThat("the last page", () -> browser.all(ROWS + " tbody tr").size() == 10);
        assertThat(browser.text(ROWS)).contains("Disk 0 is full", "02:01:00");
        browser.awaitHidden(hook("history-after"));
        browser.back();
        browser.awaitThat(
                "the first page", () -> browser.all(ROWS + " tbody tr").size() == 50);
    }

    @Test
    void rowsAreFilteredByTaskOutcomeAndText(Browser browser) {
        browser.open(server.dashboard(NIGHT));
        browser.choose(hook("history-outcome"), "success");
        browser.awaitThat(
                "successes only", () -> browser.all(ROWS + " tbody tr").size() == 40);
        browser.choose(hook("history-outcome"), "");
        browser.type(hook("history-text"), "DISK 57\n");
        browser.awaitThat("one row", () -> browser.all(ROWS + " tbody tr").size() == 1);
        browser.type(hook("history-task"), "none.such\n");
        browser.awaitText(hook("view-history"), "No runs match.");
        assertThat(browser.address()).contains("text=DISK", "task=none.such");
        browser.reload();
        browser.awaitText(hook("view-history"), "No failures with a stack trace in these hours.");
        assertThat(browser.one(hook("history-task")).getAttribute("value")).isEqualTo("none.such");
    }

    @Test
    void hoursAreChosenByDraggingOnTheLine(Browser browser) {
        browser.open(server.dashboard("view=history"));
        browser.awaitText(ROWS, HistoryShop.SYNC);
        browser.drag(".line", 0.2, 0.8);
        browser.awaitThat("a range in the address", () -> browser.address().matches(".*[?&]from=.*&to=.*"));
        browser.awaitText(hook("view-history"), "No actions in this range.");
        assertThat(browser.all("input[name=range]:checked")).isEmpty();
    }

    @Test
    void ownRangeIsEntered(Browser browser) {
        LocalDateTime two = LocalDateTime.ofInstant(HistoryShop.twoOfTheNight(), ZoneId.systemDefault());
        browser.open(server.dashboard("view=history&live=1"));
        browser.awaitText(ROWS, HistoryShop.SYNC);
        enter(browser, "From", two);
        browser.awaitAnswers(2);
        assertThat(browser.address()).doesNotContain("from=");
        enter(browser, "To", two.plusSeconds(70));
        browser.click(hook("history-show"));
        browser.awaitThat("ten rows", () -> browser.all(ROWS + " tbody tr").size() == 10);
        assertThat(browser.address()).contains("from=", "to=");
    }

    @Test
    void longRangeSaysHowFarItsTotalsGo(Browser browser) {
        Instant now = Instant.now();
        browser.open(server.dashboard("view=history&from=" + now.minus(31, ChronoUnit.DAYS) + "&to=" + now));
        browser.awaitText(hook("history-sums"), " failed");
        assertThat(browser.text(hook("history-sums"))).doesNotContain("in the last");
        browser.open(server.dashboard("view=history&from=" + now.minus(40, ChronoUnit.DAYS) + "&to=" + now));
        browser.awaitText(hook("history-sums"), "in the last 31 days of the range");
    }

    @Test
    void unchangedEndOfARangeKeepsItsInstant(Browser browser) {
        browser.zone("Europe/Berlin");
        browser.open(server.dashboard("view=history&from=2030-10-27T00:30:00Z&to=2030-10-27T01:30:00.5Z"));
        browser.lookNow();
        enter(browser, "From", LocalDateTime.parse("2030-10-26T00:00"));
        browser.click(hook("history-show"));
        browser.awaitThat("another begin", () -> browser.address().contains("from=2030-10-25T22%3A00%3A00.000Z"));
        assertThat(browser.address()).contains("to=2030-10-27T01%3A30%3A00.500Z");
    }

    private static void enter(Browser browser, String name, LocalDateTime value) {
        browser.script("""
                const field = document.getElementById('history-' + arguments[0]);
                field.value = arguments[1];
                field.dispatchEvent(new Event('input'));
                """, name, value.toString());
    }

    @Test
    void failuresAreGroupedByKindWithTheirTrace(Browser browser) {
        browser.open(server.dashboard(NIGHT));
        browser.awaitText(hook("history-kinds"), "java.io.IOException");
        assertThat(browser.text(hook("history-kinds") + " tbody tr")).contains(HistoryShop.NIGHTLY, "20");
        browser.click(hook("history-show-trace"));
        browser.awaitText(hook("history-trace"), "Report.write");
        browser.click(hook("history-trace") + " " + hook("cancel"));
        browser.awaitNone(hook("history-trace"));
        browser.click(hook("history-kinds") + " a.id");
        browser.awaitThat("a task in the address", () -> browser.address().contains("task=" + HistoryShop.NIGHTLY));
        assertThat(browser.address()).contains("range=night");
    }

    @Test
    void mostFrequentKindsAreShown(Browser browser) {
        browser.open(server.dashboard("view=history&task=" + HistoryShop.PRICES + hourBefore()));
        browser.awaitText(hook("view-history"), "Only the 20 most frequent kinds are shown.");
        assertThat(browser.text(hook("history-kinds")))
                .contains("com.example.Failure30")
                .doesNotContain("Failure10");
    }

    @Test
    void runLeadsToItsTask(Browser browser) {
        assertThat(linkOf(browser, HistoryShop.PRICES))
                .endsWith("view=task&id=prices.recalculate&scheduler=taskScheduler");
        assertThat(linkOf(browser, "closing")).endsWith("view=durable-task&id=closing");
        assertThat(linkOf(browser, "mail")).endsWith("view=durable-task&handler=mail&id=47");
    }

    private static String linkOf(Browser browser, String task) {
        browser.open(server.dashboard("view=history&task=" + task + hourBefore()));
        browser.awaitText(ROWS, task);
        return browser.one(ROWS + " a.id").getAttribute("href");
    }

    @Test
    void runThatDidNotTakePlaceSaysWhy(Browser browser) {
        browser.open(server.dashboard("view=history&task=" + HistoryShop.STOCK + hourBefore()));
        browser.awaitText(ROWS, "missed: 2 runs");
        assertThat(browser.text(ROWS))
                .contains("skipped", "it was paused", "it was still running", "its group was full", "no node was up");
        browser.awaitText(hook("history-sums"), "5 did not run");
        browser.click(hook("history-show-trace"));
        browser.awaitText(hook("history-trace"), "The stack trace is not kept.");
    }

    @Test
    void searchSaysHowFarItGot(Browser browser) {
        browser.open(server.dashboard("view=history&text=nothing&task=" + HistoryShop.PRICES + hourBefore()));
        browser.awaitText(hook("history-after"), "as 10,000 rows were read");
        browser.click(hook("history-after"));
        browser.awaitText(hook("view-history"), "No runs match.");
        browser.awaitHidden(hook("history-after"));
    }

    private static String hourBefore() {
        Instant two = HistoryShop.twoOfTheNight();
        return "&from=" + two.minusSeconds(3_600) + "&to=" + two;
    }

    @Test
    void auditSaysWhoDidWhatAndWhy(Browser browser) {
        browser.open(server.dashboard("view=history&live=1"));
        browser.awaitText(hook("history-audit"), "the nightly run failed");
        browser.awaitText(hook("history-audit"), "refused");
        assertThat(browser.text(hook("history-audit")))
                .contains("unknown user, http", HistoryShop.SYNC, "Trigger", "to be sure", "action must be", "app-1");
        browser.awaitText(ROWS, "manually");
    }

    @Test
    void taskHasItsRunsOfAllNodes(Browser browser) {
        browser.open(server.dashboard("view=task&live=1&id=" + HistoryShop.SYNC));
        browser.awaitText(hook("past"), "Failing since");
        browser.awaitText(hook("past"), "none recorded");
        browser.one(hook("past") + " .runs .failed");
        browser.open(server.dashboard("view=task&id=" + HistoryShop.BACKUP));
        browser.awaitText(hook("past-note"), "No runs are recorded.");
        browser.open(server.dashboard("view=task&live=1&id=" + HistoryShop.RATES));
        browser.awaitText(hook("past"), "not failing");
        browser.awaitText(hook("past"), "Did not run");
        browser.click(hook("past") + " header a");
        browser.awaitText(ROWS, HistoryShop.RATES);
        assertThat(browser.address()).contains("view=history", "task=" + HistoryShop.RATES);
    }

    @Test
    void taskWhoseRowsAreGoneHasItsLastSuccess(Browser browser) {
        browser.open(server.dashboard("view=task&id=" + HistoryShop.YEARLY));
        browser.awaitText(hook("past"), "100 d");
        assertThat(browser.text(hook("past"))).contains("not failing").doesNotContain("No runs are recorded");
    }

    @Test
    void filterShowsItsAddressAfterGoingBack(Browser browser) {
        browser.open(server.dashboard(NIGHT));
        browser.choose(hook("history-outcome"), "success");
        browser.awaitThat(
                "successes only", () -> browser.all(ROWS + " tbody tr").size() == 40);
        browser.back();
        browser.awaitThat("all rows", () -> browser.all(ROWS + " tbody tr").size() == 50);
        browser.awaitThat(
                "a filter of nothing",
                () -> ""
                        .equals(browser.script(
                                "return document.querySelector(arguments[0]).value", hook("history-outcome"))));
    }

    @Test
    void historyThatFailsLeavesTheTaskAlone(Browser browser) throws IOException {
        browser.expect("503");
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.takeDown(target -> target.contains("/wheelhistory"));
            browser.open(proxy.url("/actuator/wheeldashboard?view=task&id=" + HistoryShop.RATES));
            browser.awaitText(hook("past-note"), "Not available now. the database must answer. (status 503)");
            assertThat(browser.text(hook("words"))).isNotEmpty();
            browser.leave();
        }
    }

    @Test
    void viewIsAbsentWithoutTheModule(Browser browser) {
        try (Server other = Server.start()) {
            browser.open(other.dashboard("view=task&id=" + Shop.RATES));
            browser.awaitText(hook("view-task"), Shop.RATES);
            browser.awaitHidden(hook("nav-history"));
            browser.awaitHidden(hook("past"));
            browser.open(other.dashboard("view=history"));
            browser.awaitText(hook("problem"), "The history is not available");
            browser.leave();
        }
    }

    @Test
    void senselessRangeIsExplained(Browser browser) {
        browser.open(server.dashboard("view=history&from=yesterday"));
        browser.awaitText(hook("problem"), "Invalid request");
        browser.open(server.dashboard("view=history&to=-271821-04-20T00:00:00Z"));
        browser.awaitText(hook("problem"), "Invalid request");
    }

    @Test
    void textsOfTasksAreNoMarkup(Browser browser) {
        try (Server evil = Server.startWithDurableTasks(EvilShop.class, "logging.level.io.github.wheelscheduler=off")) {
            EvilShop.fill(evil);
            browser.open(
                    evil.dashboard("view=history&live=1&task=" + EvilShop.encoded() + "&text=" + EvilShop.encoded()));
            browser.awaitText(ROWS, "java.lang.IllegalStateException: " + EvilShop.MARKUP);
            // The kinds of failures are read once a minute, so the page is opened after the first failure is written.
            browser.open(evil.dashboard("view=history&live=1"));
            browser.awaitText(ROWS, EvilShop.MARKUP);
            browser.awaitText(hook("history-kinds"), EvilShop.MARKUP);
            assertThat(browser.script("return window.hit ?? 0")).isEqualTo(0L);
            browser.leave();
        }
    }

    /** For the eyes: each view in both colours at both widths. */
    @ParameterizedTest
    @CsvSource({"1280, false", "1280, true", "360, false", "360, true"})
    void viewFitsItsWidth(int width, boolean isDark, Browser browser) {
        browser.width(width);
        browser.dark(isDark);
        browser.open(server.dashboard(NIGHT));
        browser.awaitText(ROWS, "Disk 57 is full");
        browser.screenshot("history-%d-%s".formatted(width, isDark ? "dark" : "light"));
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(width);
        assertThat((Long) browser.script("return document.documentElement.scrollHeight"))
                .as("height in pixels")
                .isLessThanOrEqualTo(6_000);
        show(browser, "history-rows", width, isDark);
        show(browser, "history-kinds", width, isDark);
        browser.open(server.dashboard("view=history&live=1"));
        browser.awaitText(hook("history-audit"), "to be sure");
        show(browser, "history-audit", width, isDark);
        browser.open(server.dashboard("view=task&id=" + HistoryShop.SYNC));
        browser.awaitText(hook("past"), "none recorded");
        show(browser, "past", width, isDark);
    }

    private static void show(Browser browser, String part, int width, boolean isDark) {
        browser.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", hook(part));
        browser.screenshot("%s-%d-%s".formatted(part, width, isDark ? "dark" : "light"));
    }
}
