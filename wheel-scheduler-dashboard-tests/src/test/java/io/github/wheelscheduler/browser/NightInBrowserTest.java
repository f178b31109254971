package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** An operator asks at night what is wrong, since when, and what runs tonight. */
@InBrowser
class NightInBrowserTest {

    private static final String FIRST = "payroll.first";
    private static final String SECOND = "payroll.second";
    private static final String TONIGHT = hook("tonight");

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.start("logging.level.io.github.wheelscheduler=off");
        LocalTime soon = LocalTime.now(ZoneId.systemDefault()).plusHours(2);
        for (String id : List.of(FIRST, SECOND)) {
            ScheduledFuture<?> unused = server.wheel()
                    .getTaskRegistry()
                    .schedule(
                            id,
                            () -> {
                                throw new IllegalStateException("The ledger is closed");
                            },
                            TaskSchedule.cron("0 %d %d * * *".formatted(soon.getMinute(), soon.getHour())));
            server.wheel().getTaskRegistry().trigger(id);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void frequentTasksAreLeftOutOfTheNightUnlessWanted(Browser browser) {
        browser.open(server.dashboard("view=day"));
        browser.awaitText(TONIGHT, FIRST);
        assertThat(browser.text(TONIGHT)).doesNotContain("orders.import", Shop.SYNC);
        browser.awaitText(hook("frequent"), "3 tasks that run more often than every 10 minutes not shown.");
        browser.click(".chips label");
        browser.awaitText(TONIGHT, "orders.import");
        browser.awaitHidden(hook("frequent") + ":empty");
        assertThat(browser.address()).contains("often=yes");
    }

    @Test
    void runningTaskIsListedWithoutANextRun(Browser browser) {
        browser.open(server.dashboard("view=day&often=yes"));
        browser.awaitText(TONIGHT, "running\n" + Shop.PRICES);
    }

    @Test
    void tasksOfOneSecondAreMarked(Browser browser) {
        browser.open(server.dashboard("view=day&text=payroll"));
        browser.awaitText(TONIGHT, SECOND);
        assertThat(browser.text(TONIGHT)).contains(FIRST, "with 1 other", "failing", "no success since start, ");
    }

    @Test
    void nightIsSortedByTheNextRun(Browser browser) {
        browser.open(server.dashboard("view=day"));
        browser.awaitText(TONIGHT, SECOND);
        Object inOrder = browser.script("const at = [...document.querySelectorAll('[data-test=tonight-task] .at')]"
                + ".map(one => one.textContent.padStart(19, '0'));"
                + "return at.length > 2 && at.join() === [...at].sort().join()");
        assertThat(inOrder).isEqualTo(true);
    }

    @Test
    void findingOfSeveralTasksLeadsToTheirList(Browser browser) {
        browser.open(server.dashboard("live=1"));
        browser.awaitText(hook("findings"), "3 tasks are failing");
        browser.click("#findings-list a[href*='state=failing']");
        browser.awaitText(hook("total"), "3 tasks");
        browser.one(rowOf(FIRST));
        browser.one(rowOf(SECOND));
        browser.one(rowOf(Shop.SYNC));
    }

    @Test
    void failureSaysSinceWhen(Browser browser) {
        browser.open(server.dashboard("live=1&view=tasks&text=payroll.first"));
        browser.awaitText(rowOf(FIRST) + " .badge.failing", "failing since ");
        browser.open(server.dashboard("live=1&view=task&id=" + FIRST));
        browser.awaitText(hook("view-task"), "none\nsince start, ");
        browser.awaitText(hook("footer"), "process started ");
        browser.open(server.dashboard("live=1&view=tasks&text=warehouse.sync"));
        browser.awaitThat("eleven failures", () -> server.task(Shop.SYNC).failuresInARow() > 10);
        browser.awaitText(rowOf(Shop.SYNC) + " .badge.failing", "failing at least since ");
    }

    @Test
    void severalWordsAreSearchedInErrorsToo(Browser browser) {
        browser.open(server.dashboard("view=tasks"));
        browser.one(rowOf(FIRST));
        browser.press("/");
        assertThat(browser.script("return document.activeElement.id")).isEqualTo("search");
        browser.press("LEDGER first");
        browser.awaitText(hook("total"), "1 task");
        browser.one(rowOf(FIRST));
        browser.press(Keys.chord(Keys.CONTROL, "a"), "/");
        browser.awaitText(hook("total"), "0 tasks");
        browser.awaitText(hook("view-tasks"), "No tasks match.");
    }

    @Test
    void overrunningTasksHaveAChip(Browser browser) {
        browser.awaitThat(
                "a task that overruns",
                () -> server.context()
                                .getBean("reports", WheelTaskScheduler.class)
                                .getTaskRegistry()
                                .get(Shop.PRICES)
                                .overruns()
                        > 3);
        browser.open(server.dashboard("view=tasks"));
        browser.click(".chips label:nth-of-type(3)");
        browser.awaitText(hook("total"), "1 task, overrunning");
        browser.one(rowOf(Shop.PRICES));
    }

    @Test
    void wordsOfAPageWithoutTroubleAreShort(Browser browser) {
        try (Server quiet = Server.start(
                Quiet.class,
                List.of("org.springframework.security", "org.springframework.boot.security"),
                Server.NO_DURABLE_TASKS)) {
            browser.open(quiet.dashboard());
            browser.awaitText("#findings-none", "All tasks are on time and none is failing.");
            browser.leave();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Quiet {

        @Scheduled(fixedRate = 3_600_000)
        void hourly() {}
    }

    @Test
    void unknownTaskIsNamed(Browser browser) {
        browser.expect("404");
        browser.open(server.dashboard("view=task&id=paint"));
        browser.awaitText(hook("problem"), "No task named paint");
    }
}
