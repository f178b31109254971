package io.github.wheelscheduler.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Lets a test begin and end in the virtual time of its context where a configuration class has the annotation, which
 * brings no extension then. Adds the seed of the random order to its failure. In other tests, {@link TestsInTurn} does
 * the same.
 */
final class ConfiguredTests extends AbstractTestExecutionListener {

    /** After the context has been made, and before the transaction of the test begins. */
    private static final int ORDER = 3_000;

    private static final String TIMES = ConfiguredTests.class.getName();

    ConfiguredTests() {}

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext context) {
        if (!isConfigured(context)) {
            return;
        }
        List<VirtualTime> times = context.getApplicationContext().getBeanProvider(VirtualTime.class).stream()
                .toList();
        context.setAttribute(TIMES, times);
        Turn.Test test = TestsInTurn.testOf(
                context.getTestClass(),
                context.getTestMethod(),
                context.getTestMethod().getName());
        times.forEach(time -> time.turn().begin(test));
    }

    /** A test whose context has not been made does not need one because of this. */
    private static boolean isConfigured(TestContext context) {
        return context.hasApplicationContext()
                && context.getApplicationContext()
                                .getBeanNamesForType(VirtualTimeConfiguration.class, true, false)
                                .length
                        > 0;
    }

    @Override
    public void afterTestMethod(TestContext context) {
        if (context.removeAttribute(TIMES) instanceof List<?> times) {
            times.forEach(time -> end((VirtualTime) time, context.getTestException()));
        }
    }

    private static void end(VirtualTime time, @Nullable Throwable failure) {
        if (failure != null) {
            TestsInTurn.addSeed(time, failure);
        }
        time.turn().end();
    }
}
