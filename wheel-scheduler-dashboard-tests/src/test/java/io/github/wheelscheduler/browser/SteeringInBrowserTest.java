package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskInfo;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** Each action of the page, with its effect on the server. */
@InBrowser
class SteeringInBrowserTest {

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
    void taskIsTriggeredOnce(Browser browser) {
        int before = Shop.refreshes();
        long runs = server.task(Shop.RATES).runs();
        openTask(browser, Shop.RATES);
        browser.click(hook("trigger"));
        browser.awaitText(hook("note-ok"), "triggered");
        browser.awaitThat("one more run", () -> Shop.refreshes() == before + 1);
        browser.awaitThat("a run that is counted", () -> server.task(Shop.RATES).runs() == runs + 1);
    }

    /** The second click comes when the first has been answered. */
    @Test
    void doubleClickTriggersOnce(Browser browser) {
        int before = Shop.refreshes();
        openTask(browser, Shop.RATES);
        browser.click(hook("trigger"));
        browser.awaitText(hook("note-ok"), "triggered");
        browser.awaitThat("one run", () -> Shop.refreshes() > before);
        browser.script(
                "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {detail: 2}))",
                hook("trigger"));
        browser.awaitAnswers(2);
        assertThat(browser.all(hook("note-ok"))).hasSize(1);
        assertThat(Shop.refreshes()).isEqualTo(before + 1);
    }

    /** After the trigger, the page asks whether the scheduler is paused. */
    @Test
    void triggerIsReportedWhereNothingElseAnswers(Browser browser) throws IOException {
        browser.expect("503");
        int before = Shop.refreshes();
        try (Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?live=off&view=task&id=" + Shop.RATES));
            browser.one(hook("trigger"));
            proxy.takeDown(target -> target.contains("limit=0"));
            browser.click(hook("look"));
            browser.awaitText(hook("problem"), "Not available now");
            browser.click(hook("trigger"));
            browser.awaitText(hook("note-ok"), Shop.RATES + ": triggered");
            assertThat(browser.all(hook("note-failing"))).isEmpty();
            browser.awaitThat("one more run", () -> Shop.refreshes() == before + 1);
            browser.leave();
        }
    }

    @Test
    void taskIsPausedAndResumed(Browser browser) {
        openTask(browser, Shop.RATES);
        browser.click(hook("pause"));
        browser.awaitThat("a paused task", () -> isIn(TaskInfo.State.PAUSED, Shop.RATES));
        browser.awaitText(hook("view-task"), "paused");
        browser.click(hook("resume"));
        browser.awaitThat("a pending task", () -> isIn(TaskInfo.State.PENDING, Shop.RATES));
    }

    @Test
    void taskIsReTimedAfterAPreviewAndReset(Browser browser) {
        String before = scheduleOf(Shop.RATES);
        openTask(browser, Shop.RATES);
        browser.click(hook("retime"));
        browser.choose(hook("retime-kind"), "cron");
        browser.type(hook("retime-value"), "0 30 9 * * MON-FRI");
        browser.click(hook("preview"));
        browser.awaitText(hook("retime-preview"), "every weekday at 9:30");
        browser.awaitThat(
                "five runs ahead",
                () -> browser.all(hook("retime-preview") + " li").size() == 5);
        assertThat(scheduleOf(Shop.RATES)).isEqualTo(before);
        browser.click(hook("confirm"));
        browser.awaitText(hook("view-task"), "every weekday at 9:30");
        assertThat(scheduleOf(Shop.RATES)).contains("0 30 9 * * MON-FRI");
        browser.click(hook("reset"));
        browser.awaitThat(
                "the schedule of the code", () -> scheduleOf(Shop.RATES).equals(before));
    }

    @Test
    void secondPreviewReplacesTheFirst(Browser browser) throws IOException {
        browser.expect("409");
        try (Proxy proxy = Proxy.start("", server.port())) {
            browser.open(proxy.url("/actuator/wheeldashboard?view=task&id=" + Shop.INVOICES));
            browser.click(hook("retime"));
            for (int i = 0; i < 2; i++) {
                proxy.refuse(409);
                browser.click(hook("preview"));
                browser.awaitText(hook("retime-preview"), "Not possible in its current state");
                assertThat(isRetimingPossible(browser)).isFalse();
                proxy.refuse(0);
                browser.click(hook("preview"));
                browser.awaitText(hook("retime-preview"), "every weekday at 9:00");
                assertThat(isRetimingPossible(browser)).isTrue();
            }
            browser.leave();
        }
    }

    private static boolean isRetimingPossible(Browser browser) {
        return browser.one(hook("retime-dialog") + " " + hook("confirm")).isEnabled();
    }

    @Test
    void runThatGoesOnShowsItsStackAndIsInterrupted(Browser browser) {
        int before = Shop.interrupts();
        server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
        openTask(browser, Shop.EXPORT);
        browser.awaitText(hook("view-task"), "running");
        browser.click(hook("stack"));
        browser.awaitText(hook("stack-trace"), "exportCatalogue");
        browser.click(hook("interrupt"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitThat("an interrupted run", () -> Shop.interrupts() == before + 1);
        browser.awaitThat("a pending task", () -> isIn(TaskInfo.State.PENDING, Shop.EXPORT));
    }

    @Test
    void allThatTheFilterFindsArePausedAndResumed(Browser browser) {
        browser.open(server.dashboard("view=tasks&text=s.&live=1"));
        browser.awaitText(hook("total"), "6 tasks");
        browser.click(hook("bulk-pause"));
        browser.awaitText(hook("ask"), "Pause 6 tasks?");
        assertThat(server.task(Shop.INVOICES).state()).isEqualTo(TaskInfo.State.PENDING);
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("bulk-result"), "6 of 6 done");
        assertThat(server.task(Shop.INVOICES).state()).isEqualTo(TaskInfo.State.PAUSED);
        assertThat(server.task(Shop.EXPORT).state()).isNotEqualTo(TaskInfo.State.PAUSED);
        browser.press(Keys.ESCAPE);
        browser.click(hook("bulk-resume"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("bulk-result"), "6 of 6 done");
        assertThat(server.task(Shop.INVOICES).state()).isNotEqualTo(TaskInfo.State.PAUSED);
    }

    @Test
    void tasksThatRefuseAreNamed(Browser browser) throws Exception {
        server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
        browser.open(server.dashboard("view=tasks&text=cat"));
        browser.awaitText(rowOf(Shop.EXPORT), "running");
        browser.click(hook("bulk-trigger"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("bulk-result"), "0 of 1 done");
        assertThat(browser.text(hook("refusals"))).contains(Shop.EXPORT);
        assertThat(Server.post(server.url("/actuator/wheelscheduler/" + Shop.EXPORT), "{\"action\": \"interrupt\"}"))
                .isEqualTo(200);
    }

    @Test
    void interruptOfManyRunsIsReported(Browser browser) {
        server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
        browser.open(server.dashboard("view=tasks&text=cat"));
        browser.awaitText(rowOf(Shop.EXPORT), "running");
        browser.click(hook("bulk-interrupt"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("bulk-result"), "All 1 received an interrupt.");
        browser.awaitThat("a pending task", () -> isIn(TaskInfo.State.PENDING, Shop.EXPORT));
    }

    @Test
    void schedulerIsPausedOnlyAfterAQuestion(Browser browser) {
        String card = hook("scheduler") + "[data-name='taskScheduler'] ";
        browser.open(server.dashboard());
        browser.click(card + hook("pause-scheduler"));
        browser.awaitText(hook("ask"), "Pause taskScheduler?");
        browser.click(hook("ask") + " " + hook("cancel"));
        browser.awaitNone(hook("ask"));
        assertThat(server.wheel().isRunning()).isTrue();
        browser.click(card + hook("pause-scheduler"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitThat("a paused scheduler", () -> !server.wheel().isRunning());
        browser.awaitText(hook("findings"), "taskScheduler");
        browser.click(card + hook("resume-scheduler"));
        browser.awaitThat("a scheduler that runs", () -> server.wheel().isRunning());
    }

    @ParameterizedTest
    @CsvSource({"401, not signed in", "403, permission denied", "405, read-only", "409, state", "415, JSON"})
    void refusalIsExplained(int status, String words, Browser browser) throws IOException {
        browser.expect(String.valueOf(status));
        try (Proxy proxy = Proxy.start("", server.port())) {
            proxy.refuse(status);
            browser.open(proxy.url("/actuator/wheeldashboard?view=task&id=" + Shop.RATES));
            browser.click(hook("trigger"));
            browser.awaitText(hook("note-failing"), words);
            browser.leave();
        }
    }

    @Test
    void taskThatIsNotThereIsExplained(Browser browser) {
        browser.expect("404");
        browser.open(server.dashboard("view=task&id=nothing"));
        browser.awaitText(hook("problem"), "nothing");
    }

    /** From the address to the pause of a task without a mouse. */
    @Test
    void keyboardAloneIsEnough(Browser browser) {
        browser.open(server.dashboard());
        browser.one(hook("view-overview"));
        browser.tabTo(hook("nav-tasks"));
        browser.press(Keys.ENTER);
        browser.one(hook("view-tasks"));
        browser.tabTo(hook("search"));
        browser.press(Shop.RATES);
        browser.awaitText(hook("total"), "1 task");
        browser.tabTo(rowOf(Shop.RATES) + " " + hook("task-link"));
        browser.press(Keys.ENTER);
        browser.one(hook("view-task"));
        browser.tabTo(hook("pause"));
        assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle"))
                .isNotEqualTo("none");
        browser.press(Keys.SPACE);
        browser.awaitThat("a paused task", () -> isIn(TaskInfo.State.PAUSED, Shop.RATES));
        browser.tabTo(hook("resume"));
        browser.press(Keys.ENTER);
        browser.awaitThat("a pending task", () -> isIn(TaskInfo.State.PENDING, Shop.RATES));
    }

    private static void openTask(Browser browser, String id) {
        browser.open(server.dashboard("live=1&view=task&id=" + id));
        browser.one(hook("view-task"));
    }

    private static boolean isIn(TaskInfo.State state, String id) {
        return server.task(id).state() == state;
    }

    private static String scheduleOf(String id) {
        return server.task(id).schedule().toString();
    }

    @Test
    void pauseNamesWhoAndWhyOnEachView(Browser browser) {
        String card = hook("scheduler") + "[data-name='taskScheduler'] ";
        browser.open(server.dashboard("live=1"));
        browser.click(card + hook("pause-scheduler"));
        browser.one("#reason");
        browser.awaitText(hook("ask"), "Until then, each view shows the reason.");
        browser.press("deploying 2.4");
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("note-ok"), "taskScheduler is paused");
        try {
            for (String view : List.of("", "view=day", "view=tasks", "view=task&id=" + Shop.RATES)) {
                browser.open(server.dashboard("live=1&" + view));
                browser.awaitText("#findings-list li:first-child", "Paused by an unknown user");
                browser.awaitText("#findings-list li:first-child", ": deploying 2.4");
            }
        } finally {
            server.wheel().start();
        }
        browser.awaitNone("#findings-list li.paused");
    }

    @Test
    void buttonThatCannotWorkSaysWhy(Browser browser) {
        openTask(browser, Shop.RATES);
        assertThat(browser.one(hook("interrupt")).isEnabled()).isFalse();
        assertThat(browser.one(hook("interrupt")).getAttribute("title")).isEqualTo("It is not running");
        assertThat(browser.one(hook("trigger")).getAttribute("title"))
                .isEqualTo("Runs it once, now, in addition to its schedule");
        assertThat(browser.one(hook("reset")).getAttribute("title"))
                .isEqualTo("Restores the configured schedule and ends a pause");
        server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
        openTask(browser, Shop.EXPORT);
        browser.awaitThat(
                "a trigger that is off", () -> !browser.one(hook("trigger")).isEnabled());
        assertThat(browser.one(hook("trigger")).getAttribute("title")).isEqualTo("It is running");
        browser.click(hook("interrupt"));
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitThat("a pending task", () -> isIn(TaskInfo.State.PENDING, Shop.EXPORT));
    }

    @Test
    void focusOfADialogLiesOnItsField(Browser browser) {
        openTask(browser, Shop.INVOICES);
        browser.click(hook("retime"));
        browser.one(hook("retime-dialog"));
        assertThat(browser.script("return document.activeElement.id")).isEqualTo("retime-value");
    }

    @Test
    void invalidScheduleNamesItsField(Browser browser) {
        browser.expect("400");
        openTask(browser, Shop.INVOICES);
        browser.click(hook("retime"));
        browser.type(hook("retime-value"), "soon");
        browser.click(hook("preview"));
        browser.awaitText(hook("retime-preview"), "Invalid schedule. Cron expression must ");
    }

    @Test
    void allOfManyTasksAreSaidToBePaused(Browser browser) {
        browser.open(server.dashboard("view=tasks&text=rates"));
        browser.click(hook("bulk-pause"));
        browser.awaitText(hook("ask"), "Runs due meanwhile are skipped.");
        browser.awaitText(hook("ask"), "If the number of matching tasks has changed, nothing happens.");
        browser.click(hook("ask") + " " + hook("confirm"));
        browser.awaitText(hook("bulk-result"), "All 1 paused.");
        server.wheel().getTaskRegistry().resume(Shop.RATES);
    }
}
