package io.github.wheelscheduler.test;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Lets the tests that share the virtual time of a context take turns, and adds the seed of the random order to the
 * failure of a test.
 */
final class TestsInTurn implements BeforeEachCallback, AfterEachCallback, TestExecutionExceptionHandler {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(TestsInTurn.class);

    TestsInTurn() {}

    /** Each test has a seed of its own, so that it can be repeated alone. */
    @Override
    public void beforeEach(ExtensionContext context) {
        Turn.Test test =
                testOf(context.getRequiredTestClass(), context.getRequiredTestMethod(), context.getDisplayName());
        Times times =
                new Times(SpringExtension.getApplicationContext(context).getBeanProvider(VirtualTime.class).stream()
                        .toList());
        context.getStore(NAMESPACE).put(Times.class, times);
        times.all().forEach(time -> time.turn().begin(test));
        times.all().forEach(VirtualTime::drawSeed);
    }

    /** Spring calls the transaction of a test by its class, which may be around a nested one, and its method. */
    static Turn.Test testOf(Class<?> testClass, Method method, String name) {
        Set<String> transactions = new HashSet<>();
        for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
            boolean ignored = transactions.add(type.getName() + "." + method.getName());
        }
        return new Turn.Test(testClass.getSimpleName() + "." + name, transactions);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        timesOf(context).forEach(time -> time.turn().end());
    }

    /** The times that the test began with: asking for a context that was closed would make another one. */
    private static List<VirtualTime> timesOf(ExtensionContext context) {
        Times times = context.getStore(NAMESPACE).get(Times.class, Times.class);
        return times == null ? List.of() : times.all();
    }

    private record Times(List<VirtualTime> all) {}

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        timesOf(context).forEach(time -> addSeed(time, failure));
        throw failure;
    }

    static void addSeed(VirtualTime time, Throwable failure) {
        time.seed().ifPresent(seed -> failure.addSuppressed(new Seed(seed)));
    }

    /** Tells how to repeat the failure. */
    @SuppressWarnings("serial")
    static final class Seed extends RuntimeException {

        Seed(long seed) {
            super(
                    "Runs that were due at one instant came in a random order; setRandomOrder(" + seed
                            + "L) gives the same one",
                    null,
                    false,
                    false);
        }
    }
}
