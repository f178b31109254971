package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.task.TaskNames;
import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.BeanNames;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.settings.TaskDeclaration;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskRouter;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Makes {@code @Scheduled} methods known, with their ids and settings, before Spring schedules them, and has them
 * forgotten when their bean goes. Also gives schedulers that the application defines what is known, and catalogs that
 * it defines what the properties say.
 *
 * <p>Spring's own post-processor is of the kind that sees definitions of beans, too. Those come after all others, and
 * it is the last one of them; this one is of the same kind and comes just before it, when all proxies have been made.
 *
 * <p>If Spring reports the destruction of a bean with such methods, its tasks end there; otherwise when the object has
 * been collected.
 */
final class AnnotatedTasks implements MergedBeanDefinitionPostProcessor, DestructionAwareBeanPostProcessor, Ordered {

    private static final String BACK_OFF = "backOff.";

    /** The number that stands for none in an annotation. */
    private static final Integer NOT_SET = 0;

    /**
     * Whether a type has or inherits a method to look at as Spring does. Most have none, which takes less time to find
     * out.
     */
    private static final ClassValue<Boolean> MAY_HAVE_TASKS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return findsCandidate(type);
        }
    };

    /** The methods that Spring schedules, of types that may have some. */
    private static final ClassValue<List<Method>> SCHEDULED = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            return scheduledMethods(type);
        }
    };

    private final ConfigurableListableBeanFactory beanFactory;
    private final Environment environment;
    private final ObjectProvider<TaskCatalog> catalog;
    private final ObjectProvider<TaskOverrides> overrides;

    /** The names of singletons, of their proxies, and of all beans with scheduled methods. */
    private final BeanNames beans = new BeanNames();

    /** Whether something may ask which tasks there are, by definitions; null before the first bean. */
    private volatile @Nullable Boolean expected;

    /** Whether one has come. */
    private volatile boolean hasCome;

    AnnotatedTasks(
            ConfigurableListableBeanFactory beanFactory,
            Environment environment,
            ObjectProvider<TaskCatalog> catalog,
            ObjectProvider<TaskOverrides> overrides) {
        this.beanFactory = beanFactory;
        this.environment = environment;
        this.catalog = catalog;
        this.overrides = overrides;
    }

    /** Just before Spring's. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE - 1;
    }

    /** Has no effect: to implement it gives this its place. */
    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {}

    /**
     * Whether beans are looked at. None is where no scheduler can be on the wheel, unless there is a router of tasks,
     * which is to know its tasks on other schedulers, too.
     */
    private boolean isInUse() {
        Boolean known = expected;
        if (known == null) {
            // For beans that are made in order to find it out.
            expected = true;
            known = environment.getProperty(WheelSchedulerProperties.PREFIX + ".enabled", Boolean.class, true)
                    || SchedulerSetup.mayHaveOwnWheel(beanFactory)
                    || beanFactory.getBeanNamesForType(TaskRouter.class, true, false).length > 0;
            expected = known;
        }
        return known || hasCome;
    }

    /** Whether all beans are looked at, from the first one on. */
    boolean looksAtAll() {
        return !Boolean.FALSE.equals(expected);
    }

    private void remember(Object bean, String beanName) {
        if (isSingleton(beanName)) {
            beans.add(bean, TaskNames.reachable(beanName));
        }
    }

    /** Beans of other scopes come and go too often to be remembered for the sake of a name. */
    private boolean isSingleton(String beanName) {
        try {
            return beanFactory.containsBeanDefinition(beanName)
                    && beanFactory.getMergedBeanDefinition(beanName).isSingleton();
        } catch (NoSuchBeanDefinitionException ex) {
            return false; // it has just been removed
        }
    }

    /** Returns how many objects are known. */
    int size() {
        return beans.size();
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof TaskCatalog defined) {
            TaskOverrides properties = overrides.getObject();
            defined.overrideBy(properties);
            defined.nameSourcesBy(properties::sourceOf);
            defined.findBeansBy(beans);
            defined.onFreeId(properties::forget);
        } else if (bean instanceof WheelTaskScheduler scheduler && WheelTaskScheduler.isReal(scheduler)) {
            hasCome = true;
            share(scheduler, catalog.getObject());
        }
        if (isInUse()) {
            remember(bean, beanName);
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
        if (!isInUse()) {
            return bean;
        }
        remember(bean, beanName);
        if (bean instanceof AopInfrastructureBean || bean instanceof TaskScheduler) {
            return bean;
        }
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        List<Method> methods = MAY_HAVE_TASKS.get(type) ? SCHEDULED.get(type) : List.of();
        if (!methods.isEmpty()) {
            declare(bean, beanName, type, methods);
        }
        return bean;
    }

    // The end of beans

    /** The scheduled methods of a bean, which end with it. */
    private static final class Declarations implements Runnable {

        /** The object that Spring schedules: the bean, or a proxy of it. */
        private final WeakReference<Object> scheduled;

        private final TaskCatalog declaredAt;
        private final List<TaskDeclaration> all = new ArrayList<>(2);

        Declarations(Object scheduled, TaskCatalog declaredAt) {
            this.scheduled = new WeakReference<>(scheduled);
            this.declaredAt = declaredAt;
        }

        void add(TaskDeclaration declaration) {
            declaredAt.declare(declaration);
            boolean ignored = all.add(declaration);
        }

        @Override
        public void run() {
            all.forEach(declaredAt::withdraw);
        }
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return beans.endOf(WheelSchedulers.unproxied(bean), Declarations.class) != null;
    }

    /**
     * Spring reports the bean itself, and its own post-processor cancels the tasks of the bean, which it does not know
     * by its proxy.
     */
    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        Object target = WheelSchedulers.unproxied(bean);
        Declarations declared = beans.endOf(target, Declarations.class);
        if (declared == null) {
            return;
        }
        Object scheduled = declared.scheduled.get();
        try {
            // First: an id is free when no task has it any more.
            if (scheduled != null
                    && beanFactory.getSingleton(TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME)
                            instanceof DestructionAwareBeanPostProcessor springs) {
                springs.postProcessBeforeDestruction(scheduled, beanName);
            }
        } finally {
            beans.remove(target);
            if (scheduled != null) {
                beans.remove(scheduled);
            }
        }
    }

    // The methods of a bean

    private static List<Method> scheduledMethods(Class<?> type) {
        return List.copyOf(MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Boolean>)
                        method -> isScheduled(method) ? Boolean.TRUE : null)
                .keySet());
    }

    private static boolean findsCandidate(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, Set.of(Scheduled.class, Schedules.class))) {
            return false;
        }
        Class<?> superclass = type.getSuperclass();
        boolean found = superclass != null && MAY_HAVE_TASKS.get(superclass);
        for (Class<?> inherited : type.getInterfaces()) {
            found |= MAY_HAVE_TASKS.get(inherited);
        }
        for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
            found |= mayBeScheduled(method);
        }
        return found;
    }

    /**
     * Whether a method is scheduled, or has annotations that cannot be read: Spring reads none of a method that is
     * overridden.
     */
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

    private void declare(Object bean, String beanName, Class<?> type, List<Method> methods) {
        Object target = WheelSchedulers.unproxied(bean);
        beans.add(target, TaskNames.reachable(beanName));
        Declarations declared = new Declarations(bean, catalog.getObject());
        boolean ignored = beans.onEnd(target, declared);
        try {
            for (Method method : methods) {
                declare(bean, beanName, type, method, declared);
            }
        } catch (Throwable ex) {
            // It has not become a bean.
            beans.remove(target);
            throw ex;
        }
    }

    private void declare(Object bean, String beanName, Class<?> type, Method method, Declarations declared) {
        Method invocable;
        try {
            invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException ex) {
            // Spring is about to report it.
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
            declared.add(new TaskDeclaration(text, type, method, name, isGiven, settings, mark));
            if (method.getReturnType() != void.class) {
                // Spring may take it for a reactive one, and says the class of the bean then.
                declared.add(new TaskDeclaration(reactiveText, type, method, name, isGiven, settings, mark));
            }
        } catch (IllegalArgumentException | IllegalStateException ex) {
            throw new BeanCreationException(
                    beanName, "@WheelTask at " + usual + " must be usable: " + ex.getMessage(), ex);
        }
    }

    /** Returns the settings of an annotation. Its members have the names of the settings. */
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

    /**
     * Returns the member of the annotation that has a setting's value: {@code backOff.maxDelay} for {@code
     * back-off.max-delay}.
     */
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
        return type == Boolean.class ? parseBoolean(member, resolved) : parseDuration(member, resolved);
    }

    private static <T> @Nullable T one(String what, T[] values) {
        if (values.length > 1) {
            throw new IllegalArgumentException(what + " must have at most one value, had " + values.length);
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

    private static boolean parseBoolean(String what, String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(what + " must be true or false, was " + text);
        };
    }

    private String resolved(String text) {
        String resolved = beanFactory.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved.trim();
    }
}
