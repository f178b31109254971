package io.github.wheelscheduler.test;

import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** Adds what durable tasks need, where their module is on the class path. */
final class DurableVirtualTimeSelector implements ImportSelector {

    private static final String ENGINE = "io.github.wheelscheduler.durable.DurableEngine";

    DurableVirtualTimeSelector() {}

    @Override
    public String[] selectImports(AnnotationMetadata importing) {
        return ClassUtils.isPresent(ENGINE, DurableVirtualTimeSelector.class.getClassLoader())
                ? new String[] {DurableVirtualTimeConfiguration.class.getName()}
                : new String[0];
    }
}
