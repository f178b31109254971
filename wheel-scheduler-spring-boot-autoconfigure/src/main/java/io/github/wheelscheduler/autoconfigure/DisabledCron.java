package io.github.wheelscheduler.autoconfigure;

import java.lang.reflect.Method;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;

/** Finds methods that Spring never schedules, as each cron of theirs is {@link Scheduled#CRON_DISABLED}. */
public final class DisabledCron {

    private DisabledCron() {}

    /** Whether Spring schedules a method not at all; placeholders and expressions are resolved as it does. */
    public static boolean isOnly(Method method, ConfigurableBeanFactory beanFactory) {
        EmbeddedValueResolver resolver = new EmbeddedValueResolver(beanFactory);
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class, Schedules.class).stream()
                .allMatch(scheduled -> Scheduled.CRON_DISABLED.equals(resolver.resolveStringValue(scheduled.cron())));
    }
}
