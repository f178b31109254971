package io.github.wheelscheduler.test;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Gives a test method, or a method around it, the {@link VirtualTime} of that test, which is closed after it. A
 * failure names the seed of a random order.
 *
 * <pre>{@code
 * @ExtendWith(VirtualTimeExtension.class)
 * class ReportTest {
 *
 *     @Test
 *     void comesEveryHour(VirtualTime time) { ... }
 * }
 * }</pre>
 */
public final class VirtualTimeExtension implements ParameterResolver, TestExecutionExceptionHandler {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(VirtualTimeExtension.class);

    /** Creates the extension. */
    public VirtualTimeExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == VirtualTime.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(VirtualTime.class, key -> VirtualTime.create(), VirtualTime.class);
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        VirtualTime time = context.getStore(NAMESPACE).get(VirtualTime.class, VirtualTime.class);
        if (time != null) {
            RandomOrderReport.addSeed(time, failure);
        }
        throw failure;
    }
}
