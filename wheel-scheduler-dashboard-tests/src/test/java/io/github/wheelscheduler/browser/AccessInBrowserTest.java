package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** What the page does where less is allowed. */
@InBrowser
class AccessInBrowserTest {

    private static final List<String> STEERING = List.of(
            "trigger", "pause", "resume", "reset", "retime", "interrupt", "stack", "bulk-pause", "pause-scheduler");

    @Test
    void buttonsOfReadersAreOffWithTheReason(Browser browser) throws Exception {
        try (Server server = Server.start("management.endpoint.wheelscheduler.access=read-only")) {
            server.wheel().getTaskRegistry().trigger(Shop.EXPORT);
            for (String query : List.of("", "view=tasks", "view=task&id=" + Shop.EXPORT)) {
                browser.open(server.dashboard("live=1&" + query));
                browser.awaitAnswers(1);
                for (String action : STEERING) {
                    assertThat(browser.all(hook(action)))
                            .as(action + " in " + query)
                            .noneMatch(WebElement::isEnabled)
                            .extracting(button -> button.getAttribute("title"))
                            .allMatch(title -> title.startsWith("Read-only: steering needs "));
                }
            }
            browser.awaitText(hook("task-state"), "running");
            assertThat(Server.post(server.url("/actuator/wheelscheduler/" + Shop.SYNC), "{\"action\": \"pause\"}"))
                    .isEqualTo(405);
            browser.leave();
        }
    }

    /** Schedules nothing. */
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Idle {}

    @Test
    void pageSaysThatNoSchedulerIsOnTheWheel(Browser browser) {
        try (Server server = Server.startWithDurableTasks(Idle.class, Server.NO_DURABLE_TASKS)) {
            browser.open(server.dashboard());
            browser.awaitText(
                    hook("no-schedulers"),
                    "Wheel Scheduler is not active: no @Scheduled method runs, as @EnableScheduling is missing");
            browser.leave();
        }
        String without =
                Server.NO_DURABLE_TASKS + ",io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration,"
                        + "io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration";
        try (Server server = Server.startWithDurableTasks(Idle.class, without)) {
            browser.open(server.dashboard());
            browser.awaitText(hook("problem"), "No scheduler of this application uses the wheel");
            browser.leave();
        }
    }

    @Test
    void pageSaysWhatToSetWhereTheEndpointIsNotThere(Browser browser) {
        for (String missing : List.of(
                "management.endpoints.web.exposure.include=wheeldashboard",
                "management.endpoint.wheelscheduler.access=none")) {
            try (Server server = Server.start(missing)) {
                browser.open(server.dashboard());
                browser.awaitText(hook("problem"), "management.endpoints.web.exposure.include");
                assertThat(browser.text(hook("problem"))).contains("management.endpoint.wheelscheduler.access");
                browser.leave();
            }
        }
    }
}
