package io.github.wheelscheduler.test;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test method, or a method around it, the {@link VirtualTime} of that test, which is closed after it.
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
public final class VirtualTimeExtension implements ParameterResolver {

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
}
