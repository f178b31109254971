package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.testing.Scale;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The parts of the contract that may differ on a variant of an implementation, where another class runs all of them on
 * the same code. The others run with {@code -Pfull} only.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface OnlyParts {

    Class<? extends ContractFixture>[] value();

    /** Skips the other parts. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Class<?> tested = context.getRequiredTestClass();
            OnlyParts only = context.getParent()
                    .flatMap(ExtensionContext::getTestClass)
                    .map(variant -> variant.getAnnotation(OnlyParts.class))
                    .orElse(null);
            boolean isSkipped = only != null
                    && context.getTestMethod().isEmpty()
                    && Scale.of(0, 1, 1) == 0
                    && Arrays.stream(only.value()).noneMatch(part -> part.isAssignableFrom(tested));
            return isSkipped
                    ? ConditionEvaluationResult.disabled("the same on all variants")
                    : ConditionEvaluationResult.enabled("differs");
        }
    }
}
