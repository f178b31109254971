package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Every action of the page works where the server requires a reason, and sends the one that was entered. */
@InBrowser
class ReasonInBrowserTest {

    private static final String ASK = hook("ask") + " ";
    private static final String REASON = "disk moves";

    private static final Queue<Steering> told = new ConcurrentLinkedQueue<>();

    private static Server shop;
    private static Server durable;

    @Configuration(proxyBeanMethods = false)
    static class Telling {

        @Bean
        SteeringListener tell() {
            return told::add;
        }
    }

    @Import({Shop.class, Telling.class})
    static class StrictShop {}

    @Import({BusyDurableShop.class, Telling.class})
    static class StrictDurableShop {}

    @BeforeAll
    static void start() {
        String strict = "wheel.scheduler.endpoint.require-reason=true";
        String quiet = "logging.level.io.github.wheelscheduler=off";
        shop = Server.startWithDurableTasks(StrictShop.class, strict, quiet, Server.NO_DURABLE_TASKS);
        durable = Server.startWithDurableTasks(
                StrictDurableShop.class,
                strict,
                quiet,
                "management.endpoint.wheeldurable.show-values=always",
                "wheel.scheduler.durable.node=till",
                "wheel.scheduler.durable.close-limit=1s");
    }

    @BeforeEach
    void forget() {
        told.clear();
    }

    @AfterAll
    static void stop() {
        shop.close();
        durable.close();
    }

    @Test
    void taskIsSteeredWithAReason(Browser browser) {
        browser.open(shop.dashboard("live=1&view=task&id=" + Shop.RATES));
        browser.click(hook("pause"));
        browser.awaitText(ASK, "Pause " + Shop.RATES + "?");
        assertThat(browser.script("return document.activeElement.id")).isEqualTo("reason");
        browser.awaitText(ASK, "Reason (required)");
        giveReason(browser, "pause");
        browser.click(hook("resume"));
        giveReason(browser, "resume");
        browser.click(hook("trigger"));
        giveReason(browser, "trigger");
        browser.click(hook("retime"));
        browser.type(hook("retime-value"), "2h");
        browser.click(hook("preview"));
        browser.awaitThat(
                "a schedule that can be sent",
                () -> browser.one(hook("retime-dialog") + " " + hook("confirm")).isEnabled());
        browser.type("#reason", REASON);
        browser.click(hook("retime-dialog") + " " + hook("confirm"));
        awaitTold(browser, "retime");
        browser.click(hook("reset"));
        giveReason(browser, "reset");
    }

    @Test
    void missingReasonIsAskedForAndSendsNothing(Browser browser) {
        browser.open(shop.dashboard("live=1&view=task&id=" + Shop.INVOICES));
        browser.click(hook("pause"));
        browser.type("#reason", "   ");
        browser.click(ASK + hook("confirm"));
        assertThat(browser.script("return document.querySelector('#reason').matches(':invalid')"))
                .isEqualTo(true);
        browser.one(hook("ask"));
        browser.click(ASK + hook("cancel"));
        browser.awaitNone(hook("ask"));
        assertThat(told).isEmpty();
    }

    /** As the last key of a Japanese word. */
    @Test
    void enterThatEndsAWordConfirmsNothing(Browser browser) {
        browser.open(shop.dashboard("live=1&view=task&id=" + Shop.INVOICES));
        browser.click(hook("pause"));
        browser.type("#reason", REASON);
        browser.script("""
                document.querySelector('#reason').dispatchEvent(
                    new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))""");
        browser.one(ASK + hook("confirm"));
        assertThat(told).isEmpty();
        browser.press(Keys.ENTER);
        awaitTold(browser, "pause");
        browser.awaitNone(hook("ask"));
        browser.click(hook("resume"));
        giveReason(browser, "resume");
    }

    @Test
    void runIsInterruptedWithAReasonAndSeenWithoutOne(Browser browser) {
        shop.wheel().getTaskRegistry().trigger(Shop.EXPORT);
        browser.open(shop.dashboard("live=1&view=task&id=" + Shop.EXPORT));
        browser.click(hook("stack"));
        browser.awaitText(hook("stack-trace"), "exportCatalogue");
        browser.click(hook("interrupt"));
        giveReason(browser, "interrupt");
    }

    @Test
    void schedulerAndManyTasksAreSteeredWithAReason(Browser browser) {
        WheelTaskScheduler wheel = shop.wheel();
        String card = hook("scheduler") + "[data-name='taskScheduler'] ";
        browser.open(shop.dashboard("live=1"));
        browser.click(card + hook("pause-scheduler"));
        giveReason(browser, "pause");
        assertThat(wheel.isRunning()).isFalse();
        browser.click(card + hook("resume-scheduler"));
        giveReason(browser, "resume");
        browser.open(shop.dashboard("view=tasks&text=backup"));
        browser.click(hook("bulk-pause"));
        giveReason(browser, "pause");
        browser.awaitText(hook("bulk-result"), "All 1 paused.");
    }

    @Test
    void durableTasksAreSteeredWithAReason(Browser browser) {
        browser.open(durable.dashboard("view=durable&live=1&state=failed"));
        browser.click(hook("durable-tasks") + " " + hook("retry"));
        giveReason(browser, "retry");
        browser.click(hook("drain"));
        giveReason(browser, "drain");
        browser.click(hook("durable-retry-all"));
        giveReason(browser, "retry");
        browser.awaitText(hook("bulk-counts"), "Finished.");
        browser.click(hook("bulk-progress") + " " + hook("cancel"));
        browser.open(durable.dashboard("view=durable-task&live=1&handler=invoice&id=4711"));
        browser.click(hook("reschedule"));
        browser.type("#reason", REASON);
        browser.click(hook("reschedule-dialog") + " " + hook("confirm"));
        awaitTold(browser, "reschedule");
        browser.click(hook("cancel"));
        giveReason(browser, "cancel");
        browser.expect("404");
        browser.awaitText(hook("durable-task-gone"), "invoice has no one-time task 4711");
    }

    @Test
    void recurringDurableTaskIsSteeredWithAReason(Browser browser) {
        browser.open(durable.dashboard("view=durable-task&live=1&id=customer-7"));
        browser.click(hook("pause"));
        giveReason(browser, "pause");
        browser.click(hook("resume"));
        giveReason(browser, "resume");
        browser.click(hook("retime"));
        browser.type(hook("retime-value"), "2h");
        browser.type("#reason", REASON);
        browser.click(hook("retime-dialog") + " " + hook("confirm"));
        awaitTold(browser, "retime");
    }

    /** For the eyes: a dialog, and a recurring task, in both colours at both widths. */
    @ParameterizedTest
    @CsvSource({"1280, false", "1280, true", "360, false", "360, true"})
    void dialogFitsItsWidth(int width, boolean isDark, Browser browser) {
        String look = "-%d-%s".formatted(width, isDark ? "dark" : "light");
        browser.width(width);
        browser.dark(isDark);
        browser.open(shop.dashboard("view=task&id=" + Shop.INVOICES));
        browser.click(hook("pause"));
        browser.awaitText(ASK, "Reason (required)");
        browser.screenshot("reason" + look);
        browser.click(ASK + hook("cancel"));
        browser.open(durable.dashboard("view=durable-task&id=customer-7"));
        browser.click(hook("show-payload"));
        browser.awaitText(hook("durable-payload"), "Bob");
        browser.screenshot("recurring" + look);
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .isLessThanOrEqualTo(width);
    }

    private static void giveReason(Browser browser, String action) {
        browser.type("#reason", REASON);
        browser.click(ASK + hook("confirm"));
        awaitTold(browser, action);
        browser.awaitNone(hook("ask"));
    }

    /** Waits for the steering, which must not have been refused, and forgets it. */
    private static void awaitTold(Browser browser, String action) {
        browser.awaitThat(
                action + " with the reason",
                () -> told.stream().anyMatch(one -> one.action().equals(action) && REASON.equals(one.reason())));
        assertThat(told).noneMatch(Steering::isRefused);
        told.clear();
    }
}
