package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Defines a scheduler bean for each group that the properties name. None of them is a default candidate: what injects a
 * scheduler by its type gets the one that it got without groups.
 */
final class GroupBeans implements BeanDefinitionRegistryPostProcessor {

    static final String PROPERTY = WheelSchedulerProperties.PREFIX + ".groups";

    static final String NAME_RULE = "must not be the name of another bean";
    static final String NAME_EXAMPLE = "reports";

    /** The bean that makes the schedulers. */
    static final String GROUPS = "wheelSchedulerGroups";

    private static final String SCHEDULER = TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME;

    private final Map<String, GroupProperties> groups;

    GroupBeans(Environment environment) {
        this.groups = GroupProperties.allOf(environment);
    }

    /** Returns all groups that the properties name. */
    Map<String, GroupProperties> groups() {
        return groups;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        for (String name : groups.keySet()) {
            define(name, registry);
        }
    }

    private static void define(String name, BeanDefinitionRegistry registry) {
        if (registry.containsBeanDefinition(name)) {
            BeanDefinition known = registry.getBeanDefinition(name);
            UnusableSettingException.unless(isGroup(known), PROPERTY + "." + name, name, NAME_RULE, NAME_EXAMPLE);
            return;
        }
        // An alias, or an object that has no definition, such as the environment.
        UnusableSettingException.unless(
                !registry.isBeanNameInUse(name), PROPERTY + "." + name, name, NAME_RULE, NAME_EXAMPLE);
        RootBeanDefinition definition = new RootBeanDefinition(WheelTaskScheduler.class);
        definition.setFactoryBeanName(GROUPS);
        definition.setFactoryMethodName("newScheduler");
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        definition.setDefaultCandidate(false);
        hideMethods(definition);
        registry.registerBeanDefinition(name, definition);
    }

    /**
     * Keeps Spring from looking through the methods of a scheduler for listeners, which there are none of. It does so
     * for each type but its own, as that of Boot's scheduler, and that took as long as to make the scheduler.
     */
    private static void hideMethods(BeanDefinition definition) {
        definition.setAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE, ThreadPoolTaskScheduler.class);
    }

    /**
     * Whether a definition is one of a group; definitions that were prepared ahead of time have none of these names.
     */
    private static boolean isGroup(BeanDefinition known) {
        return GROUPS.equals(known.getFactoryBeanName())
                || (known instanceof RootBeanDefinition root
                        && root.hasBeanClass()
                        && root.getBeanClass() == WheelTaskScheduler.class
                        && !root.isDefaultCandidate());
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        if (beanFactory.containsBeanDefinition(SCHEDULER)) {
            BeanDefinition known = beanFactory.getBeanDefinition(SCHEDULER);
            if (isOurs(known)) {
                hideMethods(known);
            }
        }
    }

    /** An application may have put a scheduler of its own in place of ours, with listeners. */
    private static boolean isOurs(BeanDefinition known) {
        // what was prepared ahead of time has the method, and no name
        Method method = known instanceof RootBeanDefinition root ? root.getResolvedFactoryMethod() : null;
        return method == null
                ? WheelSchedulerAutoConfiguration.class.getName().equals(known.getFactoryBeanName())
                : method.getDeclaringClass() == WheelSchedulerAutoConfiguration.class;
    }
}
