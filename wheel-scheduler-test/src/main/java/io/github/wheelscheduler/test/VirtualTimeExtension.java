package io.github.wheelscheduler.test;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test method, a method around it, or the constructor of its class, the {@link VirtualTime} of that test, and
 * closes it after the test. A failure of any of these methods names the seed of a random order.
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
public final class VirtualTimeExtension implements AfterEachCallback, ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(VirtualTimeExtension.class);

    private final Instant start;
    private final ZoneId zone;

    /** Creates an extension whose time starts at {@link VirtualTime#DEFAULT_START}, in UTC. */
    public VirtualTimeExtension() {
        this(VirtualTime.DEFAULT_START, ZoneId.of("UTC"));
    }

    private VirtualTimeExtension(Instant start, ZoneId zone) {
        this.start = start;
        this.zone = zone;
    }

    /**
     * Returns an extension whose time starts there, with a wall clock in that zone; for a static field with
     * {@code @RegisterExtension}.
     */
    public static VirtualTimeExtension startingAt(Instant start, ZoneId zone) {
        Objects.requireNonNull(start, "start must not be null");
        Objects.requireNonNull(zone, "zone must not be null");
        return new VirtualTimeExtension(start, zone);
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == VirtualTime.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException(
                    "A VirtualTime must be a parameter of a test, of @BeforeEach or @AfterEach, or of a constructor "
                            + "without Lifecycle.PER_CLASS, was one of "
                            + parameter.getDeclaringExecutable());
        }
        return context.getStore(NAMESPACE)
                .computeIfAbsent(VirtualTime.class, key -> VirtualTime.startingAt(start, zone), VirtualTime.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        VirtualTime time = context.getStore(NAMESPACE).get(VirtualTime.class, VirtualTime.class);
        if (time != null) {
            context.getExecutionException().ifPresent(failure -> TestsInTurn.addSeed(time, failure));
        }
    }
}
