package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts of the page that need no story: labels, tooltips, and explanations of problems. */
@InBrowser
class TextsInBrowserTest {

    private static final Path TABLE = Path.of("../wheel-scheduler-dashboard/src/test/resources/page-texts.txt");

    /** All that can be seen, or that a pointer or a screen reader finds. */
    private static final String ALL_TEXTS = """
            document.querySelectorAll('button[aria-expanded=false]').forEach(one => one.click());
            const found = [document.body.innerText];
            document.querySelectorAll('[title], [aria-label], [placeholder]').forEach(one => one.checkVisibility()
                && found.push(one.title, one.ariaLabel ?? '', one.placeholder ?? ''));
            return found.join(' ').replace(/\\s+/g, ' ');
            """;

    private static Server shop;
    private static Server durable;

    @BeforeAll
    static void start() {
        shop = Server.start("logging.level.io.github.wheelscheduler=off");
        durable = Server.startWithDurableTasks(
                BusyDurableShop.class,
                "wheel.scheduler.durable.node=till",
                "wheel.scheduler.durable.close-limit=1s",
                "logging.level.io.github.wheelscheduler=off");
    }

    @AfterAll
    static void stop() {
        shop.close();
        durable.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            view-overview.js     |
            view-day.js          | view=day
            view-tasks.js        | view=tasks
            view-task.js         | view=task&id=orders.import
            view-durable.js      | view=durable
            durable-search.js    | view=durable
            view-durable-task.js | view=durable-task&handler=invoice&id=4711
            view-history.js      | view=history
            """)
    void labelIsShown(String file, String query, Browser browser) throws IOException {
        Server server = file.contains("durable") || file.contains("history") ? durable : shop;
        browser.open(server.dashboard("live=1&" + (query == null ? "" : query)));
        browser.awaitText(hook("footer"), "process started ");
        List<String> texts = texts(file, "labelIsShown");
        assertThat(texts).isNotEmpty();
        browser.awaitThat(
                "%s in each of %s".formatted(file, missing(browser, texts)),
                () -> missing(browser, texts).isEmpty());
    }

    @Test
    void termIsExplained(Browser browser) throws IOException {
        List<String> texts = texts("format.js", "termIsExplained");
        assertThat(texts).isNotEmpty();
        browser.open(shop.dashboard());
        browser.awaitText(hook("view-overview"), "taskScheduler");
        String seen = allTexts(browser);
        browser.open(shop.dashboard("view=task&id=orders.import"));
        browser.awaitText(hook("view-task"), "orders.import");
        seen += allTexts(browser);
        browser.open(durable.dashboard("view=durable"));
        browser.awaitText(hook("view-durable"), "stocktaking");
        seen += allTexts(browser);
        assertThat(seen).contains(texts);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gone        | 0   | false | Trying again; the data shown is old.
            slow        | 0   | false | The application is slow. It has not answered for 20 s; trying again.
            login       | 401 | false | Sign in, or sign in again if your session has expired.
            denied      | 403 | false | The security rules of the application do not let you see this.
            missing     | 404 | false | It no longer exists, or the endpoint is not exposed.
            noDurable   | 0   | false | The application has none, or the endpoint wheeldurable is not exposed.
            noHistory   | 0   | false | The application has no wheel-scheduler-history, or the endpoint wheelhistory is not exposed.
            noScheduler | 0   | false | There is nothing to show.
            bad         | 400 | false | Check the filter and the values in the address.
            broken      | 500 | false | The application, or a proxy in front of it, answered with an error.
            gone        | 0   | true  | There was no answer. Check the state before you try again.
            login       | 401 | true  | Sign in and try again.
            denied      | 403 | true  | You lack the role, or the CSRF token or the origin of the request was refused.
            missing     | 404 | true  | Not done: it no longer exists. Refresh the page.
            readonly    | 405 | true  | Steering needs management.endpoint.<endpoint>.access=unrestricted.
            conflict    | 409 | true  | Check what it is doing now.
            bad         | 400 | true  | Change what you entered.
            type        | 415 | true  | A proxy may have changed the request.
            """)
    void problemIsExplained(String kind, int status, boolean isSteering, String text, Browser browser) {
        browser.open(shop.dashboard());
        browser.awaitText(hook("view-overview"), "taskScheduler");
        String said = String.valueOf(browser.scriptAsync("""
                const [kind, status, isSteering, done] = arguments;
                import(new URL('wheeldashboard/api.js', location))
                    .then(({explain, Problem}) => done(explain(new Problem(kind, status), isSteering).join(' ')));
                """, kind, status, isSteering));
        assertThat(said).contains(text);
    }

    private static List<String> missing(Browser browser, List<String> texts) {
        String all = allTexts(browser);
        return texts.stream()
                .filter(text -> !Pattern.compile(Arrays.stream(text.split("\\{}", -1))
                                .map(Pattern::quote)
                                .collect(Collectors.joining(".*?")))
                        .matcher(all)
                        .find())
                .toList();
    }

    private static String allTexts(Browser browser) {
        return String.valueOf(browser.script(ALL_TEXTS));
    }

    /** Returns the texts of a file that a test of this class shows, as the table has them. */
    private static List<String> texts(String file, String test) throws IOException {
        return Files.readAllLines(TABLE).stream()
                .map(line -> line.split(" \\| ", -1))
                .filter(row -> row[0].equals(file) && row[row.length - 1].equals("TextsInBrowserTest." + test))
                .map(row -> row[1])
                .toList();
    }
}
