package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.task.TaskNames;
import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Makes {@code @Scheduled} methods known, with their ids and settings, before Spring schedules them. Also gives schedulers that the
 * application defines what is known, and catalogs that it defines what the properties say.
 *
 * <p>Spring's own post-processor is of the kind that sees definitions of beans, too. Those come after all others, and it is the last one of
 * them; this one is of the same kind and comes just before it, when all proxies have been made.
 */
final class AnnotatedTasks implements MergedBeanDefinitionPostProcessor, Ordered {

    private static final String BACK_OFF = "backOff.";

    /** The number that stands for none in an annotation. */
    private static final Integer NOT_SET = 0;

    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<TaskCatalog> catalog;
    private final ObjectProvider<TaskOverrides> overrides;
    private final Set<String> singletons = ConcurrentHashMap.newKeySet();

    /** The names of singletons, and of what stands before them, all of which live as long as this. */
    private final Map<Object, String> beanNames = Collections.synchronizedMap(new IdentityHashMap<>());

    private final Set<Class<?>> withoutTasks = ConcurrentHashMap.newKeySet();

    AnnotatedTasks(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<TaskCatalog> catalog,
            ObjectProvider<TaskOverrides> overrides) {
        this.beanFactory = beanFactory;
        this.catalog = catalog;
        this.overrides = overrides;
    }

    /** Just before Spring's. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE - 1;
    }

    /** That this is asked is what gives it its place. */
    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
        if (definition.isSingleton() && beanFactory.containsBeanDefinition(beanName)) {
            boolean ignored = singletons.add(beanName);
        }
    }

    private void remember(Object bean, String beanName) {
        if (singletons.contains(beanName)) {
            String ignored = beanNames.put(bean, beanName);
        }
    }

    private @Nullable String beanNameOf(Object bean) {
        String name = beanNames.get(bean);
        return name == null ? null : TaskNames.reachable(name);
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        remember(bean, beanName);
        if (bean instanceof TaskCatalog defined) {
            TaskOverrides properties = overrides.getObject();
            defined.overrideBy(properties);
            defined.nameSourcesBy(properties::sourceOf);
            defined.findBeansBy(this::beanNameOf);
        } else if (bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler)) {
            share(scheduler, catalog.getObject());
        }
        return bean;
    }

    @SuppressWarnings("ReferenceEquality") // this very one
    private static void share(WheelTaskScheduler scheduler, TaskCatalog shared) {
        TaskCatalog own = scheduler.getTaskCatalog();
        if (own != shared) {
            shared.setAllOf(own);
            scheduler.setTaskCatalog(shared);
        }
        if (scheduler.getTraceIds() == null) {
            scheduler.setTraceIds(new TraceIds());
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        remember(bean, beanName);
        if (bean instanceof AopInfrastructureBean || bean instanceof TaskScheduler) {
            return bean;
        }
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        if (mayHaveTasks(type)) {
            Map<Method, Boolean> methods = scheduledMethods(type);
            if (methods.isEmpty()) {
                withoutTasks.add(type);
            }
            for (Method method : methods.keySet()) {
                declare(bean, beanName, type, method);
            }
        }
        return bean;
    }

    private static Map<Method, Boolean> scheduledMethods(Class<?> type) {
        return MethodIntrospector.selectMethods(
                type, (MethodIntrospector.MetadataLookup<Boolean>) method -> isScheduled(method) ? Boolean.TRUE : null);
    }

    /** Whether a type has or inherits a method to look at as Spring does. Most have none, which takes less time to find out. */
    private boolean mayHaveTasks(@Nullable Class<?> type) {
        if (type == null
                || withoutTasks.contains(type)
                || !AnnotationUtils.isCandidateClass(type, Set.of(Scheduled.class, Schedules.class))) {
            return false;
        }
        boolean[] found = {mayHaveTasks(type.getSuperclass())};
        for (Class<?> inherited : type.getInterfaces()) {
            found[0] |= mayHaveTasks(inherited);
        }
        ReflectionUtils.doWithLocalMethods(type, method -> found[0] |= mayBeScheduled(method));
        if (!found[0]) {
            withoutTasks.add(type);
        }
        return found[0];
    }

    /** Whether a method is scheduled, or has annotations that cannot be read: Spring reads none of a method that is overridden. */
    private static boolean mayBeScheduled(Method method) {
        try {
            return isScheduled(method);
        } catch (RuntimeException | LinkageError ex) {
            return true;
        }
    }

    private static boolean isScheduled(Method method) {
        return (method.isBridge() || method.getAnnotations().length > 0)
                && (AnnotatedElementUtils.isAnnotated(method, Scheduled.class)
                        || AnnotatedElementUtils.isAnnotated(method, Schedules.class));
    }

    private void declare(Object bean, String beanName, Class<?> type, Method method) {
        Method invocable;
        try {
            invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException ex) {
            // Spring is about to say so.
            return;
        }
        String text = invocable.getDeclaringClass().getName() + "." + invocable.getName();
        String reactiveText = bean.getClass().getName() + "." + invocable.getName();
        WheelTask annotation = AnnotatedElementUtils.findMergedAnnotation(method, WheelTask.class);
        Class<?> usersType = ClassUtils.getUserClass(type);
        String usual = usersType.getName() + "." + method.getName();
        try {
            String given = annotation == null ? "" : resolved(annotation.id());
            TaskSettings settings = annotation == null ? TaskSettings.NONE : settingsOf(annotation);
            Object ignored = settings.backOff();
            boolean isGiven = !given.isEmpty();
            if (isGiven) {
                TaskNames.check("id", given);
            }
            String name = isGiven ? given : usual;
            String mark = TaskNames.reachable(beanName);
            TaskCatalog known = catalog.getObject();
            known.declare(new TaskDeclaration(text, type, method, name, isGiven, settings, mark));
            if (method.getReturnType() != void.class) {
                // Spring may take it for a reactive one, and says the class of the bean then.
                known.declare(new TaskDeclaration(reactiveText, type, method, name, isGiven, settings, mark));
            }
        } catch (IllegalArgumentException | IllegalStateException ex) {
            throw new BeanCreationException(
                    beanName, "@WheelTask at " + usual + " must be usable: " + ex.getMessage(), ex);
        }
    }

    /** Returns what an annotation says. Its members have the names of the settings. */
    private TaskSettings settingsOf(WheelTask annotation) {
        return TaskSettings.of((setting, type) -> {
            String member = memberOf(setting);
            if (!member.startsWith(BACK_OFF)) {
                return parse(member, AnnotationUtils.getValue(annotation, member), type);
            }
            WheelTask.BackOff backOff = one("backOff", annotation.backOff());
            return backOff == null || resolved(backOff.delay()).isEmpty()
                    ? null
                    : parse(member, AnnotationUtils.getValue(backOff, member.substring(BACK_OFF.length())), type);
        });
    }

    /** Returns the member of the annotation that has a setting's value: {@code backOff.maxDelay} for {@code back-off.max-delay}. */
    private static String memberOf(String setting) {
        StringBuilder member = new StringBuilder();
        for (String word : setting.split("-", -1)) {
            member.append(member.isEmpty() ? word : StringUtils.capitalize(word));
        }
        return member.toString();
    }

    private @Nullable Object parse(String member, @Nullable Object written, Class<?> type) {
        if (written instanceof Object[] values) {
            return one(member, values);
        }
        if (!(written instanceof String text)) {
            return NOT_SET.equals(written) ? null : written;
        }
        String resolved = resolved(text);
        if (resolved.isEmpty()) {
            return null;
        }
        return type == Boolean.class ? parseBoolean(resolved) : parseDuration(member, resolved);
    }

    private static <T> @Nullable T one(String what, T[] values) {
        if (values.length > 1) {
            throw new IllegalArgumentException(what + " must be one at most, were " + values.length);
        }
        return values.length == 0 ? null : values[0];
    }

    private static Duration parseDuration(String what, String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException | ArithmeticException ex) {
            throw new IllegalArgumentException(what + " must be a duration such as 10s, was " + text, ex);
        }
    }

    private static boolean parseBoolean(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("enabled must be true or false, was " + text);
        };
    }

    private String resolved(String text) {
        String resolved = beanFactory.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved.trim();
    }
}
