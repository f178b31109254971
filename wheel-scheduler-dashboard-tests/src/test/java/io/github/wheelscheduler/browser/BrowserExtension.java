package io.github.wheelscheduler.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts one browser for all classes; JUnit closes it after the last one. */
final class BrowserExtension implements AfterEachCallback, BeforeAllCallback, ParameterResolver {

    @Override
    public void beforeAll(ExtensionContext context) {
        // Each class asks, and is skipped where there is none.
        Browser unused = browserOf(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Browser resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return browserOf(context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Browser browser = browserOf(context);
        if (context.getExecutionException().isPresent()) {
            String name = context.getRequiredTestClass().getSimpleName() + "."
                    + context.getRequiredTestMethod().getName();
            browser.screenshot("failed-" + name);
            System.out.println(name + " failed at " + browser.address() + ", and the console says " + browser.faults());
        }
        List<String> faults = browser.faults();
        browser.reset();
        assertThat(faults)
                .as("what the console says, and what the policy refused")
                .isEmpty();
    }

    private static Browser browserOf(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(BrowserExtension.class))
                .computeIfAbsent(Browser.class, unused -> Browser.startOrSkip(), Browser.class);
    }
}
