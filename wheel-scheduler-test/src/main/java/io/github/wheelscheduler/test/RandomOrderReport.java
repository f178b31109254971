package io.github.wheelscheduler.test;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Adds the seed of the random order to what a test of an application fails with. */
final class RandomOrderReport implements BeforeEachCallback, TestExecutionExceptionHandler {

    RandomOrderReport() {}

    /** Each test has a seed of its own, so that it can be repeated alone. */
    @Override
    public void beforeEach(ExtensionContext context) {
        SpringExtension.getApplicationContext(context)
                .getBeanProvider(VirtualTime.class)
                .forEach(time -> {
                    if (time.seed().isPresent()) {
                        time.setOrder(RunOrder.RANDOM);
                    }
                });
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        ApplicationContext application = SpringExtension.getApplicationContext(context);
        application.getBeanProvider(VirtualTime.class).forEach(time -> addSeed(time, failure));
        throw failure;
    }

    static void addSeed(VirtualTime time, Throwable failure) {
        time.seed().ifPresent(seed -> failure.addSuppressed(new Seed(seed)));
    }

    /** Says what to do to see the failure again. */
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
