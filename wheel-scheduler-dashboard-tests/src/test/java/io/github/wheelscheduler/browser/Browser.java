package io.github.wheelscheduler.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.regex.Pattern;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A Chromium without a window, and what its tests ask of it. Elements are named by CSS selectors. */
final class Browser implements AutoCloseable {

    /** A name of this machine that is no "localhost" for Chromium: a page from there is not in a secure context. */
    static final String PLAIN_HOST = "wheel.test";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration INTERVAL = Duration.ofMillis(50);
    private static final Path PICTURES = Path.of("target", "screenshots");
    private static final String REQUIRED = "wheel.test.require";
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 900;

    private static final String NOTE_VIOLATIONS = """
            window.violations = [];
            addEventListener('securitypolicyviolation',
                event => window.violations.push(event.violatedDirective + ' refused ' + event.blockedURI), true);
            """;

    private static final String FIND_BARRIERS = """
            const done = arguments[arguments.length - 1];
            axe.run(document, {resultTypes: ['violations']}).then(
                found => done(found.violations
                    .filter(one => one.impact === 'serious' || one.impact === 'critical')
                    .map(one => one.id + ': ' + one.help + ' ' + one.nodes.slice(0, 5).map(node => node.html))),
                error => done(['axe-core failed: ' + error]));
            """;

    private final ChromeDriver driver;
    private final List<String> expected = new ArrayList<>();
    private final List<String> faultsOfPagesLeft = new ArrayList<>();

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Skips the class, or fails it if {@code wheel.test.require} has chromium, where there is no such browser. */
    static Browser startOrSkip() {
        Optional<Path> chromium = find("chromium");
        Optional<Path> chromedriver = find("chromedriver");
        boolean isInstalled = chromium.isPresent() && chromedriver.isPresent();
        if (List.of(System.getProperty(REQUIRED, "").split(",")).contains("chromium")) {
            assertThat(isInstalled)
                    .as("chromium and chromedriver must be on the path, as %s says so", REQUIRED)
                    .isTrue();
        }
        if (!isInstalled) {
            System.out.println("There is no chromium with its driver here, so nothing is shown of the dashboard; "
                    + "Debian has them in packages of the names chromium and chromium-driver");
        }
        assumeTrue(isInstalled, "no chromium");
        return start(chromium.get().toFile(), chromedriver.get().toFile());
    }

    private static Optional<Path> find(String program) {
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Browser start(File chromium, File chromedriver) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--lang=en",
                "--host-resolver-rules=MAP " + PLAIN_HOST + " 127.0.0.1",
                "--window-size=" + WIDTH + "," + HEIGHT);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriver driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(chromedriver)
                        .usingAnyFreePort()
                        .build(),
                options);
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", NOTE_VIOLATIONS));
        driver.manage().timeouts().scriptTimeout(PATIENCE).pageLoadTimeout(PATIENCE);
        Browser browser = new Browser(driver);
        browser.reset();
        return browser;
    }

    /** Returns the selector of what has this id, or which the page names so for tests. */
    static String hook(String name) {
        return ":is(#%s, [data-test='%s'])".formatted(name, name);
    }

    static String rowOf(String id) {
        return hook("task") + "[data-id='" + id + "']";
    }

    void open(String url) {
        driver.get(url);
    }

    String address() {
        return driver.getCurrentUrl();
    }

    /** Does something while another tab is before the page. */
    void doHidden(Runnable deed) {
        String page = driver.getWindowHandle();
        driver.switchTo().newWindow(WindowType.TAB);
        try {
            deed.run();
        } finally {
            driver.close();
            driver.switchTo().window(page);
        }
    }

    void reload() {
        driver.navigate().refresh();
    }

    void back() {
        driver.navigate().back();
    }

    /** Says that Chromium's own line for an answer is no fault in this test if it has this status, error or address. */
    void expect(String part) {
        expected.add(part);
    }

    /**
     * Returns what went to the console as an error, and what the policy of the page refused, since it was asked last.
     */
    List<String> faults() {
        List<String> faults = new ArrayList<>(faultsOfPagesLeft);
        faultsOfPagesLeft.clear();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue() && !isExpected(entry.getMessage())) {
                faults.add(entry.getMessage());
            }
        }
        Object violations = script("return window.violations ?? []");
        if (violations instanceof List<?> list) {
            list.forEach(violation -> faults.add(String.valueOf(violation)));
        }
        return faults;
    }

    private boolean isExpected(String message) {
        return expected.stream()
                .anyMatch(part -> message.contains("Failed to load resource: ") && message.contains(part));
    }

    /** Leaves the page before the application ends that it asks. */
    void leave() {
        faultsOfPagesLeft.addAll(faults());
        driver.get("about:blank");
    }

    /** Leaves the page, forgets who has signed in, and gives the browser back its look and zone of the start. */
    void reset() {
        driver.get("about:blank");
        driver.executeCdpCommand("Network.clearBrowserCookies", Map.of());
        faultsOfPagesLeft.clear();
        expected.clear();
        dark(false);
        width(WIDTH);
        zone("");
    }

    void dark(boolean isDark) {
        Object scheme = Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light");
        Object motion = Map.of("name", "prefers-reduced-motion", "value", "reduce");
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme, motion)));
    }

    /** Sets the time zone of pages that are opened from now on; empty for that of the machine. */
    void zone(String zone) {
        driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", zone));
    }

    void width(int pixels) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Returns the first visible element; waits until there is one. */
    WebElement one(String selector) {
        return new WebDriverWait(driver, PATIENCE, INTERVAL)
                .ignoring(StaleElementReferenceException.class)
                .withMessage(() -> "a visible " + selector + " at " + address())
                .until(unused -> all(selector).stream()
                        .filter(WebElement::isDisplayed)
                        .findFirst()
                        .orElse(null));
    }

    List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    void click(String selector) {
        doTo(selector, WebElement::click);
    }

    /** Replaces what a field has by this text, as a person would. */
    void type(String selector, String text) {
        doTo(selector, field -> {
            field.clear();
            field.sendKeys(text);
        });
    }

    /** Chooses an option by its value. */
    void choose(String selector, String value) {
        doTo(selector, field -> new Select(field).selectByValue(value));
    }

    /** Sends keys to what has the focus. */
    void press(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Presses tab until an element that matches has the focus. */
    void tabTo(String selector) {
        for (int i = 0; i < 300; i++) {
            if (Boolean.TRUE.equals(script("return document.activeElement.matches(arguments[0])", selector))) {
                return;
            }
            press(Keys.TAB);
        }
        throw new AssertionError("the tab key must lead to " + selector + ", did not at " + address());
    }

    /** Drags the pointer over an element, from one part of its width to another. */
    void drag(String selector, double from, double to) {
        WebElement element = one(selector);
        int width = element.getSize().getWidth();
        new Actions(driver)
                .moveToElement(element, (int) ((from - 0.5) * width), 0)
                .clickAndHold()
                .moveToElement(element, (int) ((to - 0.5) * width), 0)
                .release()
                .perform();
    }

    /** Live pages draw themselves anew meanwhile. */
    private void doTo(String selector, Consumer<WebElement> deed) {
        awaitThat("something to be done to " + selector, () -> {
            try {
                deed.accept(one(selector));
                return true;
            } catch (StaleElementReferenceException | ElementClickInterceptedException ex) {
                return false;
            }
        });
    }

    /** Returns the visible text of the first element that matches, or nothing. */
    String text(String selector) {
        Object text = script(
                "const found = document.querySelector(arguments[0]); return found ? found.innerText : ''", selector);
        // A number and its unit stay on one line, which is of no interest to most tests.
        return String.valueOf(text).replace('\u00a0', ' ');
    }

    void awaitText(String selector, String part) {
        awaitThat(
                selector + " with the text '" + part + "'", () -> text(selector).contains(part));
    }

    void awaitNone(String selector) {
        awaitThat("no " + selector, () -> all(selector).isEmpty());
    }

    void awaitHidden(String selector) {
        awaitThat(selector + " to be hidden", () -> all(selector).stream().noneMatch(WebElement::isDisplayed));
    }

    /** Waits until the page has shown so many answers more. */
    void awaitAnswers(int count) {
        long before = answers();
        awaitThat(count + " more answers", () -> answers() >= before + count);
    }

    void lookNow() {
        long before = answers();
        click(hook("look"));
        awaitThat("an answer more", () -> answers() > before);
    }

    /** Returns how many answers the page has shown. */
    long answers() {
        return (Long) script("return Number(document.body.dataset.answers ?? 0)");
    }

    void awaitThat(String what, BooleanSupplier condition) {
        new WebDriverWait(driver, PATIENCE, INTERVAL)
                .ignoring(WebDriverException.class)
                .withMessage(() -> what + " at " + address() + ", where the page says: " + text("body"))
                .until(unused -> condition.getAsBoolean());
    }

    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Returns the value that a script hands to its last argument. */
    Object scriptAsync(String script, Object... arguments) {
        return driver.executeAsyncScript(script, arguments);
    }

    /** Returns the serious and critical findings of axe-core. The page must have been looked at for faults before. */
    List<?> barriers() {
        assertThat(faults()).as("faults before axe-core is put in").isEmpty();
        script(resource("/axe-core/axe.min.js"));
        return (List<?>) scriptAsync(FIND_BARRIERS);
    }

    private static String resource(String name) {
        try (InputStream in = Browser.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    void screenshot(String name) {
        try {
            Files.createDirectories(PICTURES);
            Files.write(PICTURES.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
