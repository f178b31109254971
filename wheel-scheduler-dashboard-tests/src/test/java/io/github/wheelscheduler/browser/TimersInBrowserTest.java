package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The overview counts timers and leases of the application. */
@InBrowser
class TimersInBrowserTest {

    private static final String TABLE = hook("timers");
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void tableComesWithTheFirstTimersAndShowsLostLeases(Browser browser) {
        try (Server server = Server.start()) {
            browser.open(server.dashboard("live=1"));
            browser.awaitText(hook("view-overview"), "taskScheduler");
            assertThat(browser.text(hook("view-overview"))).doesNotContain("Timers and leases");
            browser.awaitHidden(TABLE);

            ConfigurableListableBeanFactory beans = server.context().getBeanFactory();
            WheelScheduledExecutor executor = server.wheel().getWheelScheduledExecutor();
            try (KeyedTimers<String, String> carts = KeyedTimers.<String, String>builder(executor, (key, cart) -> {})
                            .build();
                    LeaseRenewer<String> locks = LeaseRenewer.<String>builder(executor, TimersInBrowserTest::renew)
                            .build()) {
                beans.registerSingleton("carts", carts);
                beans.registerSingleton("locks", locks);
                carts.measureLateness();
                boolean isSet = carts.setIfAbsent("a", "apples", HOUR)
                        && carts.setIfAbsent("b", "bread", HOUR)
                        && carts.setIfAbsent("c", "cheese", Duration.ofMillis(1))
                        && carts.move("a", HOUR);
                assertThat(isSet).isTrue();
                browser.awaitText(TABLE, "2 pending");
                browser.awaitText(TABLE, "1 fired, 1 moved");
                assertThat(locks.keep("kept", HOUR, locks.start(), (key, reason) -> {})
                                .isKept())
                        .isTrue();
                browser.awaitText(TABLE, "1 kept");
                assertThat(browser.all(TABLE + " .badge")).isEmpty();

                assertThat(locks.keep("gone", Duration.ofMillis(100), locks.start(), (key, reason) -> {}))
                        .isNotNull();
                browser.awaitText(TABLE + " .badge.failing", "1 lost");
                assertThat(browser.all(TABLE + " .badge.failing svg")).hasSize(1);
                browser.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", TABLE);
                browser.screenshot("timers-light");
                assertThat(browser.barriers()).isEmpty();
                browser.dark(true);
                browser.awaitAnswers(1);
                browser.screenshot("timers-dark");
                assertThat(browser.barriers()).isEmpty();
                browser.leave();
            }
        }
    }

    private static Renewal.Outcome renew(String key) {
        return key.equals("gone") ? Renewal.Outcome.GONE : Renewal.Outcome.RENEWED;
    }
}
