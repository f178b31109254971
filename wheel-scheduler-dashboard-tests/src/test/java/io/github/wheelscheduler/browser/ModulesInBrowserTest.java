package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Modules of the page, each loaded once more beside it, with a clock and answers of the test. */
@InBrowser
class ModulesInBrowserTest {

    private static Server server;

    @BeforeAll
    static void start() {
        server = Server.start("logging.level.io.github.wheelscheduler=off");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void otherNodeIsForgottenWhenItIsGone(Browser browser) {
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 6, 6), answers("a#1", 7, 120)))
                .isEqualTo("a#1 b#1 0");
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 6, 6), answers("a#1", 7, 130)))
                .isEqualTo("a#1 null 0");
    }

    @Test
    void otherNodeIsShownWhenTheFirstIsGone(Browser browser) {
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 6, 120)))
                .isEqualTo("a#1 b#1 0");
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 6, 130)))
                .isEqualTo("b#1 null 0");
    }

    @Test
    void nodeIsNotGoneWhileNothingIsAsked(Browser browser) {
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 600, 610)))
                .isEqualTo("a#1 b#1 0");
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 6, 6), answers("a#1", 600, 610)))
                .isEqualTo("a#1 b#1 0");
    }

    @Test
    void restartIsSeenBesideAnotherNode(Browser browser) {
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("b#1", 6, 6), answers("a#2", 7, 8)))
                .isEqualTo("a#2 b#1 1");
    }

    @Test
    void processThatStillAnswersIsAnotherNode(Browser browser) {
        assertThat(nodesAfter(browser, answers("a#1", 0, 5), answers("a#2", 6, 6), answers("a#1", 7, 8)))
                .isEqualTo("a#2 a#1 1");
    }

    @Test
    void plotBeginsAnewWithAnotherProcessOrClock(Browser browser) {
        open(browser);
        Object said = browser.scriptAsync("""
                const done = arguments[0];
                const late = {wheel: 'PT0.001S', queue: 'PT0S'};
                import(new URL('wheeldashboard/history.js?alone', location)).then(({add, pointsOf, rateOf}) => {
                    const said = [];
                    for (const [second, fired, started] of [
                            [0, 100, 'a'], [2, 102, 'a'], [4, 5000, 'b'], [6, 5008, 'b'], [-3600, 5010, 'b']]) {
                        add([{name: 'w', lateness: {p50: late, p99: late}, counts: {fired}}],
                            new Date(1e12 + second * 1000).toISOString(), started);
                        said.push(`${pointsOf('w').length} ${rateOf('w')}`);
                    }
                    done(said.join());
                });
                """);
        assertThat(said).isEqualTo("1 null,2 1,1 null,2 4,1 null");
    }

    @Test
    void clockThatIsSetBackKeepsNoOldAnswer(Browser browser) {
        open(browser);
        Object asked = browser.scriptAsync("""
                const done = arguments[0];
                let now = 1e12, asked = 0;
                Date.now = () => now;
                window.fetch = async () => {
                    asked++;
                    return new Response('{}');
                };
                import(new URL('wheeldashboard/api.js?alone', location)).then(async ({seldom}) => {
                    await seldom('sums', {}, 60_000);
                    await seldom('sums', {}, 60_000);
                    now -= 3_600_000;
                    await seldom('sums', {}, 60_000);
                    done(asked);
                });
                """);
        assertThat(asked).isEqualTo(2L);
    }

    @Test
    void failureOfYesterdayHasItsDate(Browser browser) {
        browser.zone("UTC");
        open(browser);
        assertThat(browser.scriptAsync("""
                const done = arguments[0];
                const run = {start: '2026-03-01T23:00:00Z', outcome: 'FAILURE'};
                const task = {state: 'PENDING', failuresInARow: 1, last: run, recent: [run]};
                import(new URL('wheeldashboard/task-rows.js', location)).then(({showState}) => {
                    const node = document.createElement('p');
                    done(['2026-03-01T23:30:00Z', '2026-03-02T00:30:00Z'].map(now => {
                        showState(node, task, '', now);
                        return node.firstChild.textContent;
                    }).join(', '));
                });
                """)).isEqualTo("failing since 23:00:00, failing since 2026-03-01 23:00:00");
    }

    /** Returns one answer of a node each second: its header, and the second. */
    private static List<?> answers(String node, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(second -> List.<Object>of(node, second))
                .toList();
    }

    /** Returns the node that the page shows after these answers, the other one, and the number of restarts. */
    private static String nodesAfter(Browser browser, List<?>... answers) {
        open(browser);
        return String.valueOf(browser.scriptAsync(
                """
                const [answers, done] = arguments;
                let second = 0;
                performance.now = Date.now = () => 1_000_000 + second * 1000;
                import(new URL('wheeldashboard/api.js?alone', location)).then(({nodes}) => {
                    let node;
                    for ([node, second] of answers) {
                        nodes.takes(node);
                    }
                    done(`${nodes.shown} ${nodes.other} ${nodes.restarts}`);
                });
                """, Stream.of(answers).flatMap(List::stream).toList()));
    }

    /** Opens a page that asks nothing more. */
    private static void open(Browser browser) {
        browser.open(server.dashboard("live=off"));
        browser.awaitText(hook("footer"), "process started ");
    }
}
