package io.github.wheelscheduler.test;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Gives a context the nearest annotation of its test; tests with other annotations share no cached context with it. */
final class VirtualTimeContextCustomizerFactory implements ContextCustomizerFactory {

    VirtualTimeContextCustomizerFactory() {}

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        // By class first: an annotation of a base class must not win over a composed one of the test.
        return MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
                .withEnclosingClasses(TestContextAnnotationUtils::searchEnclosingClass)
                .from(testClass)
                .stream(AutoConfigureVirtualTime.class)
                .findFirst()
                .map(Settings::of)
                .orElse(null);
    }

    /** The values of an annotation; a part of the context's key in the cache, and a bean of the context. */
    record Settings(String start, String zone, RunOrder order, boolean clockOnly, boolean durableTasks)
            implements ContextCustomizer {

        static Settings of(MergedAnnotation<AutoConfigureVirtualTime> annotation) {
            return new Settings(
                    annotation.getString("start"),
                    annotation.getString("zone"),
                    annotation.getEnum("order", RunOrder.class),
                    annotation.getBoolean("clockOnly"),
                    annotation.getBoolean("durableTasks"));
        }

        VirtualTime newTime() {
            VirtualTime time = VirtualTime.startingAt(Instant.parse(start), ZoneId.of(zone));
            time.setOrder(order);
            time.setClockOnly(clockOnly);
            return time;
        }

        @Override
        public void customizeContext(
                ConfigurableApplicationContext context, MergedContextConfiguration mergedConfiguration) {
            context.getBeanFactory().registerSingleton(Settings.class.getName(), this);
        }
    }
}
