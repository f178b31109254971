package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page on a phone, with more than fifty tasks. */
@InBrowser
class PhoneInBrowserTest {

    private static final int WIDTH = 360;
    private static final long TALLEST = 6_000;

    /** Returns numbers whose unit is on the next line. */
    private static final String FIND_TORN = """
            const torn = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const unit = /\\d[\\s\\u00a0](ns|µs|ms|s|min|h|d|%|tasks?|runs?)\\b/g;
            while (walker.nextNode()) {
              const text = walker.currentNode;
              for (const found of text.data.matchAll(unit)) {
                const range = document.createRange();
                range.setStart(text, found.index);
                range.setEnd(text, found.index + found[0].length);
                const lines = new Set([...range.getClientRects()].filter(box => box.width > 0)
                    .map(box => Math.round(box.top)));
                if (lines.size > 1) {
                  torn.push(text.data);
                }
              }
            }
            return torn;
            """;

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.startWithDurableTasks(DurableShop.class, "logging.level.io.github.wheelscheduler=off");
        for (int i = 0; i < 60; i++) {
            ScheduledFuture<?> unused = server.wheel()
                    .getTaskRegistry()
                    .schedule(
                            "com.example.billing.statements.MonthlyStatement.region-%02d".formatted(i),
                            () -> {},
                            i % 2 == 0
                                    ? TaskSchedule.fixedRate(Duration.ofMinutes(90 + i))
                                    : TaskSchedule.cron("0 %d 3 * * *".formatted(i % 7)));
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "overview, ''",
        "day, view=day",
        "tasks, view=tasks",
        "task, view=task&id=warehouse.sync",
        "durable, view=durable",
        "history, view=history"
    })
    void pageIsShortAndTearsNoNumber(String view, String query, Browser browser) {
        browser.width(WIDTH);
        browser.open(server.dashboard("live=1&" + query));
        browser.one(hook("view-" + view));
        browser.awaitAnswers(2);
        assertThat((List<?>) browser.script(FIND_TORN))
                .as("numbers torn from their units")
                .isEmpty();
        assertThat((Long) browser.script("return document.documentElement.scrollHeight"))
                .as("height in pixels")
                .isLessThanOrEqualTo(TALLEST);
    }
}
