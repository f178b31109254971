package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.DecidingBody;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableOutcome;
import io.github.wheelscheduler.durable.DurableRun;
import io.github.wheelscheduler.durable.RetryPolicy;
import io.github.wheelscheduler.durable.autoconfigure.DurableProperties.OfHandler;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the methods that run durable tasks, when all singletons are there. */
final class DurableHandlerMethods implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beanFactory;
    private final DurableEngine engine;
    private final ObjectProvider<DurableProperties> properties;
    private final TransactionManagerChoice transactions;

    /** The handler methods found so far. */
    private final Map<String, String> byName = new HashMap<>();

    DurableHandlerMethods(
            ConfigurableListableBeanFactory beanFactory,
            DurableEngine engine,
            ObjectProvider<DurableProperties> properties,
            TransactionManagerChoice transactions) {
        this.beanFactory = beanFactory;
        this.engine = engine;
        this.properties = properties;
        this.transactions = transactions;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beanFactory.getBeanNamesForType(Object.class, true, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                Class<?> type = beanFactory.getType(name, false);
                if (type != null && AnnotationUtils.isCandidateClass(type, DurableHandler.class)) {
                    addHandlersOf(name, type);
                }
            }
        }
        refuseUnknown();
    }

    private void refuseUnknown() {
        List<String> unknown = properties.getObject().handlers().keySet().stream()
                .filter(name -> !byName.containsKey(name))
                .map(name -> DurableProperties.PREFIX + ".handlers." + name
                        + " must name a method with @DurableHandler, and there are " + new TreeSet<>(byName.keySet()))
                .toList();
        if (!unknown.isEmpty()) {
            throw new UnusableSetupException(
                    String.join("; ", unknown),
                    "Write the name as the annotation has it, in brackets if it has more than letters, digits and "
                            + "dashes, or leave the property out.");
        }
    }

    private void addHandlersOf(String beanName, Class<?> type) {
        methodsOf(userClassOf(beanName, type)).forEach((method, annotation) -> add(beanName, method, annotation));
    }

    static Map<Method, DurableHandler> methodsOf(Class<?> type) {
        return MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<DurableHandler>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, DurableHandler.class));
    }

    private Class<?> userClassOf(String beanName, Class<?> type) {
        return userClassOf(beanFactory, beanName, type);
    }

    /** Returns the class behind a bean's proxy, which may have methods that the proxy does not. */
    static Class<?> userClassOf(BeanFactory beanFactory, String beanName, Class<?> type) {
        return Proxy.isProxyClass(type)
                ? AopProxyUtils.ultimateTargetClass(beanFactory.getBean(beanName))
                : ClassUtils.getUserClass(type);
    }

    private void add(String beanName, Method method, DurableHandler annotation) {
        Class<?> type = Objects.requireNonNull(beanFactory.getType(beanName, false));
        try {
            Method ignored = AopUtils.selectInvocableMethod(method, type);
        } catch (IllegalStateException ex) {
            throw new UnusableSetupException(
                    "A method with @DurableHandler must be one that the bean's proxy has: " + ex.getMessage(),
                    "Declare the method in an interface of the bean, or set spring.aop.proxy-target-class=true.",
                    ex);
        }
        Type payloadType = payloadTypeOf(method, type);
        EarlyReturn.refuse("DurableHandler", method, userClassOf(beanName, type));
        ReturnedOutcome.refuseHidden(method, userClassOf(beanName, type));
        RetryPolicy retries = retriesOf(method, annotation);
        PlatformTransactionManager manager = transactions.of(annotation, method);
        try {
            OfHandler own = properties.getObject().handlers().getOrDefault(annotation.value(), OfHandler.NONE);
            engine.decide(
                    annotation.value(),
                    payloadType,
                    retries,
                    own.maxConcurrent() == null ? annotation.maxConcurrent() : own.maxConcurrent(),
                    own.timeLimit() == null ? timeLimitOf(annotation) : own.timeLimit(),
                    manager,
                    body(beanName, method));
        } catch (IllegalStateException | IllegalArgumentException ex) {
            throw new UnusableSetupException(
                    "@DurableHandler on " + method + " of the bean " + beanName + otherThan(annotation.value())
                            + " cannot be used: " + ex.getMessage(),
                    "Give each handler a name of its own, such as @DurableHandler(\"invoice\"), and limits that fit, "
                            + "if any, such as maxConcurrent = 2 and timeLimit = \"30s\". The name is in the database, "
                            + "so one that has tasks should keep it.",
                    ex);
        }
        byName.put(annotation.value(), method + " of the bean " + beanName);
    }

    private String otherThan(String name) {
        String other = byName.get(name);
        return other == null ? "" : ", beside " + other + ",";
    }

    private DecidingBody<Object> body(String beanName, Method method) {
        return (payload, run) -> call(beanName, method, payload, run);
    }

    /** Returns what the payload is, or void if there is none. */
    static Type payloadTypeOf(Method method, Class<?> beanType) {
        int payloads = method.getParameterCount() - (knowsItsRun(method) ? 1 : 0);
        if (payloads > 1) {
            throw unusablePayload(
                    "A method with @DurableHandler must have one parameter at most, the payload, and a DurableRun "
                            + "behind it, but "
                            + method + " has " + method.getParameterCount());
        }
        if (payloads == 0) {
            return Void.class;
        }
        ResolvableType type = ResolvableType.forMethodParameter(method, 0, ClassUtils.getUserClass(beanType));
        if (type.resolve() == null || type.hasUnresolvableGenerics()) {
            throw unusablePayload(
                    "The type of the payload must be known, without type variables and wildcards, but is not in "
                            + method);
        }
        if (type.toClass().isPrimitive()) {
            throw unusablePayload(
                    "The payload of a method with @DurableHandler may be null, so its type must not be primitive, but "
                            + "is in "
                            + method);
        }
        return withoutVariables(type);
    }

    /** Returns a type as Jackson can read it, which does not know what the class of the bean says of type variables. */
    private static Type withoutVariables(ResolvableType type) {
        if (type.getType() instanceof Class<?> known) {
            return known;
        }
        if (type.isArray()) {
            Type component = withoutVariables(type.getComponentType());
            return component instanceof Class<?> known ? known.arrayType() : (GenericArrayType) () -> component;
        }
        if (!type.hasGenerics()) {
            return type.toClass();
        }
        ResolvableType[] generics = Arrays.stream(type.getGenerics())
                .map(generic -> ResolvableType.forType(withoutVariables(generic)))
                .toArray(ResolvableType[]::new);
        return ResolvableType.forClassWithGenerics(type.toClass(), generics).getType();
    }

    private static boolean knowsItsRun(Method method) {
        int count = method.getParameterCount();
        return count > 0 && method.getParameterTypes()[count - 1] == DurableRun.class;
    }

    private static UnusableSetupException unusablePayload(String message) {
        return new UnusableSetupException(
                message,
                "Let the method have one parameter whose class is known, such as a record with all that a run needs, "
                        + "or none.");
    }

    private static @Nullable Object[] arguments(Method method, @Nullable Object payload, DurableRun run) {
        boolean knowsItsRun = knowsItsRun(method);
        return switch (method.getParameterCount()) {
            case 0 -> new Object[0];
            case 1 -> new @Nullable Object[] {knowsItsRun ? run : payload};
            default -> new @Nullable Object[] {payload, run};
        };
    }

    private RetryPolicy retriesOf(Method method, DurableHandler annotation) {
        try {
            return new RetryPolicy(
                    annotation.maxRetries(),
                    duration(annotation.backOff()),
                    duration(annotation.maxBackOff()),
                    new HashSet<>(List.of(annotation.retryFor())),
                    new HashSet<>(List.of(annotation.noRetryFor())));
        } catch (IllegalArgumentException ex) {
            throw new UnusableSetupException(
                    "@DurableHandler on " + method + " cannot be used: " + ex.getMessage(),
                    "Give maxRetries, backOff and maxBackOff values that fit, such as 10, 1s and 1h, or leave "
                            + "them out.",
                    ex);
        }
    }

    private @Nullable Duration timeLimitOf(DurableHandler annotation) {
        String text = String.valueOf(beanFactory.resolveEmbeddedValue(annotation.timeLimit()));
        return text.isEmpty() ? null : DurationStyle.detectAndParse(text);
    }

    private Duration duration(String text) {
        String resolved = beanFactory.resolveEmbeddedValue(text);
        return DurationStyle.detectAndParse(String.valueOf(resolved));
    }

    private DurableOutcome call(String beanName, Method method, @Nullable Object payload, DurableRun run)
            throws Exception {
        Object bean = beanFactory.getBean(beanName);
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        try {
            return ReturnedOutcome.of(method, invocable.invoke(bean, arguments(method, payload, run)));
        } catch (InvocationTargetException ex) {
            Throwable cause = ex.getTargetException();
            if (cause instanceof Exception exception) {
                throw exception;
            }
            throw (Error) cause;
        }
    }
}
