package io.github.wheelscheduler.test;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Lets the tests that share the virtual time of a context take turns, and adds the seed of the random order to the
 * failure of a test or of a method around it.
 */
final class TestsInTurn implements BeforeEachCallback, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(TestsInTurn.class);

    TestsInTurn() {}

    @Override
    public void beforeEach(ExtensionContext context) {
        Turn.Test test =
                testOf(context.getRequiredTestClass(), context.getRequiredTestMethod(), context.getDisplayName());
        Times times =
                new Times(SpringExtension.getApplicationContext(context).getBeanProvider(VirtualTime.class).stream()
                        .toList());
        context.getStore(NAMESPACE).put(Times.class, times);
        times.all().forEach(time -> time.turn().begin(test));
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
        List<VirtualTime> times = timesOf(context);
        // A listener that has added one knows the times of a context that was made after the test began here.
        context.getExecutionException()
                .filter(failure -> Stream.of(failure.getSuppressed()).noneMatch(Seed.class::isInstance))
                .ifPresent(failure -> times.forEach(time -> addSeed(time, failure)));
        times.forEach(time -> time.turn().end());
    }

    /** The times that the test began with: asking for a context that was closed would make another one. */
    private static List<VirtualTime> timesOf(ExtensionContext context) {
        Times times = context.getStore(NAMESPACE).get(Times.class, Times.class);
        return times == null ? List.of() : times.all();
    }

    private record Times(List<VirtualTime> all) {}

    /** Adds its seed, unless the failure names it already. */
    static void addSeed(VirtualTime time, Throwable failure) {
        if (time.seed().isPresent()) {
            Seed seed = new Seed(time.seed().getAsLong());
            if (Stream.of(failure.getSuppressed()).noneMatch(seed::isSame)) {
                failure.addSuppressed(seed);
            }
        }
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

        private boolean isSame(Throwable other) {
            return other instanceof Seed && Objects.equals(other.getMessage(), getMessage());
        }
    }
}
