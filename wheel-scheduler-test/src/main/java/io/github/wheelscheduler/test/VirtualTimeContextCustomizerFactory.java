package io.github.wheelscheduler.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Keeps tests whose virtual time starts elsewhere, or is in another zone, from sharing a cached context. */
final class VirtualTimeContextCustomizerFactory implements ContextCustomizerFactory {

    VirtualTimeContextCustomizerFactory() {}

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        AutoConfigureVirtualTime annotation =
                TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureVirtualTime.class);
        return annotation == null ? null : new Key(annotation.start(), annotation.zone(), annotation.order());
    }

    /** A part of the context's key in the cache; what is in the context comes by the annotation itself. */
    private record Key(String start, String zone, RunOrder order) implements ContextCustomizer {

        @Override
        public void customizeContext(
                ConfigurableApplicationContext context, MergedContextConfiguration mergedConfiguration) {}
    }
}
