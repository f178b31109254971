package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskInfo;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Wherever an application has its endpoints, the page finds its own files and them. */
@InBrowser
class PlacesInBrowserTest {

    @Test
    void pageWorksBelowAContextPathAndBehindAProxy(Browser browser) throws IOException {
        try (Server server = Server.start("server.servlet.context-path=/shop");
                Proxy proxy = Proxy.start("/team/a", server.port())) {
            assertWorks(browser, server, proxy.url("/shop/actuator/wheeldashboard"));
        }
    }

    @Test
    void pageWorksOnAManagementPortWithPathsOfItsOwn(Browser browser) {
        try (Server server = Server.start(
                "management.server.port=0",
                "management.server.base-path=/inside",
                "management.endpoints.web.base-path=/manage")) {
            assertWorks(
                    browser, server, "http://localhost:" + server.managementPort() + "/inside/manage/wheeldashboard");
        }
    }

    @Test
    void pageWorksAtTheRootUnderOtherNames(Browser browser) {
        try (Server server = Server.start(
                "management.endpoints.web.base-path=/",
                "management.endpoints.web.path-mapping.wheeldashboard=tasks",
                "management.endpoints.web.path-mapping.wheelscheduler=json/of/tasks")) {
            assertWorks(browser, server, server.url("/tasks"));
        }
    }

    @Test
    void pageWorksOnWebFluxUnderAnotherName(Browser browser) {
        try (Server server = Server.start(
                "spring.main.web-application-type=reactive",
                "spring.webflux.base-path=/flux",
                "management.endpoints.web.path-mapping.wheeldashboard=look/at/tasks")) {
            assertWorks(browser, server, server.url("/flux/actuator/look/at/tasks"));
        }
    }

    /** With and without a slash at the end, the style is there, the tasks are, and one of them is paused. */
    private static void assertWorks(Browser browser, Server server, String address) {
        for (String place : List.of(address, address + "/")) {
            browser.open(place + "?view=task&live=1&id=" + Shop.RATES);
            browser.awaitText(hook("view-task"), Shop.RATES);
            assertThat(browser.script("return [...document.styleSheets].some(sheet => sheet.cssRules.length > 50)"))
                    .isEqualTo(true);
            assertThat(browser.address()).contains("live=1").contains("id=" + Shop.RATES);
        }
        browser.click(hook("pause"));
        browser.awaitThat("a paused task", () -> server.task(Shop.RATES).state() == TaskInfo.State.PAUSED);
        browser.leave();
    }
}
