package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableHandler;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Lets methods with {@code @DurableHandler} be called, and their payloads be read and written, in a native image, too.
 */
final class DurableHandlerHints implements BeanRegistrationAotProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        if (!AnnotationUtils.isCandidateClass(type, DurableHandler.class)) {
            return null;
        }
        Set<Method> methods = DurableHandlerMethods.methodsOf(type).keySet();
        return methods.isEmpty()
                ? null
                : (context, code) -> methods.forEach(
                        method -> register(context.getRuntimeHints().reflection(), method, type));
    }

    private void register(ReflectionHints hints, Method method, Class<?> type) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        // A proxy may have it of an interface.
        hints.registerMethod(ClassUtils.getInterfaceMethodIfPossible(method, type), ExecutableMode.INVOKE);
        binding.registerReflectionHints(hints, DurableHandlerMethods.payloadTypeOf(method, type));
    }
}
