package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport.ConditionAndOutcomes;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Logs once where {@code @Scheduled} methods run and why, and what to do if that is not on the wheel. It reads what
 * Spring has taken, after it has scheduled them, and the reason that {@link OnNoUserSchedulerCondition} has left. It
 * changes nothing, and creates no scheduler.
 */
final class WhereScheduledRuns implements ApplicationListener<ContextRefreshedEvent> {

    private static final Log logger = LogFactory.getLog(WhereScheduledRuns.class);

    private static final String PROCESSOR = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME;
    private static final String ENABLED = WheelSchedulerProperties.PREFIX + ".enabled";
    private static final String INVENTED = "spring.task.scheduling.enabled";
    private static final String ACTIVE = "Wheel Scheduler is active: ";
    private static final String NOT_ACTIVE = "Wheel Scheduler is not active: ";
    private static final String METHODS = "@Scheduled methods run on ";

    private final ConfigurableListableBeanFactory beanFactory;
    private final Environment environment;
    private final RegistrarWatch registrar;

    /** Writer: the thread that refreshes the context. Readers: requests to the endpoint. */
    private volatile @Nullable String line;

    WhereScheduledRuns(ConfigurableListableBeanFactory beanFactory, Environment environment, RegistrarWatch registrar) {
        this.beanFactory = beanFactory;
        this.environment = environment;
        this.registrar = registrar;
    }

    /** Returns whether it has said where methods of its context run, or why they do not. */
    boolean hasSpoken() {
        return line != null;
    }

    /** Returns the line if it says that the wheel is not active, else null. */
    @Nullable
    String whyNone() {
        String said = line;
        return said != null && said.startsWith(NOT_ACTIVE) ? said : null;
    }

    /** Comes after Spring's own listener, which has the same order, and has been there before any other bean. */
    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        if (!event.getApplicationContext().getAutowireCapableBeanFactory().equals(beanFactory)) {
            return; // of a child
        }
        if (beanFactory.containsLocalBean(PROCESSOR)) {
            say(new ScheduledPlaces(beanFactory, registrar));
        } else if (!beanFactory.containsBean(PROCESSOR) && wheels().isEmpty()) {
            inform(NOT_ACTIVE
                    + "no @Scheduled method runs, as @EnableScheduling is missing. Add it to a @Configuration class");
        }
        if (environment.containsProperty(INVENTED)) {
            logger.warn(INVENTED + " has no effect, as Spring Boot has no such property. To keep tasks from running,"
                    + " set " + WheelSchedulerProperties.PREFIX + ".mode=off");
        }
    }

    private void say(ScheduledPlaces places) {
        ScheduledPlaces.Place usual = places.usual();
        WheelTaskScheduler wheel = usual == null ? null : usual.wheel();
        if (usual == null) {
            inform(
                    wheels().isEmpty()
                            ? notActive("no @Scheduled method runs yet, and none would run on it, as ", places)
                            : ACTIVE + "@Scheduled methods will run on " + WheelSchedulers.textOf(wheels())
                                    + ", but none is scheduled yet" + places.apart());
        } else if (wheel != null) {
            inform(ACTIVE + METHODS + usual.text() + whyThisWheel() + places.apart() + oneWorkerOfBoots(wheel));
        } else {
            String text = notActive(METHODS + usual.text() + ", as ", places);
            if (usual.isOneThreadOfSprings()) {
                line = text + ". To give them more threads, mark a scheduler @Primary or name it 'taskScheduler'";
                logger.warn(line);
            } else {
                inform(text);
            }
        }
    }

    private void inform(String text) {
        line = text;
        logger.info(text);
    }

    private String notActive(String where, ScheduledPlaces places) {
        Reason reason = Reason.of(this);
        return NOT_ACTIVE + where + reason.text + places.apart() + ". " + reason.advice;
    }

    private List<String> wheels() {
        Set<String> names = new LinkedHashSet<>(List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                beanFactory, WheelTaskScheduler.class, true, false)));
        names.addAll(WheelSchedulers.ownOf(beanFactory).keySet());
        return List.copyOf(names);
    }

    private String whyThisWheel() {
        if (registrar.isChanged()) {
            return ", as a SchedulingConfigurer chose it";
        }
        ConditionOutcome outcome = outcome();
        return outcome != null
                        && outcome.isMatch()
                        && !OnNoUserSchedulerCondition.NO_SCHEDULER.equals(outcome.getMessage())
                ? ", as " + outcome.getMessage()
                : "";
    }

    /** Why methods do not run on the wheel, and what to do. Loaded only where they do not. */
    private record Reason(String text, String advice) {

        static Reason of(WhereScheduledRuns where) {
            if (where.registrar.isChanged()) {
                return new Reason("a SchedulingConfigurer chose it", "Without it, Spring chooses one");
            }
            TaskScheduler before = where.registrar.before();
            if (before != null && !(before instanceof TaskSchedulerRouter)) {
                return new Reason("<task:annotation-driven> chose it", "Without it, Spring chooses one");
            }
            if (!where.environment.getProperty(ENABLED, Boolean.class, true)) {
                return new Reason(ENABLED + " is false", "Remove that property to run them on the wheel");
            }
            ConditionOutcome outcome = where.outcome();
            if (outcome == null) {
                return new Reason(
                        "the auto-configuration is excluded", "Remove the exclusion to run them on the wheel");
            }
            String text = outcome.isMatch() ? "Spring prefers it" : String.valueOf(outcome.getMessage());
            return new Reason(text, where.advice(outcome));
        }
    }

    private String advice(ConditionOutcome outcome) {
        String advice = "To run them on the wheel, ";
        if (OnNoUserSchedulerCondition.NAME_IS_TAKEN.equals(outcome.getMessage())) {
            return advice + "give that bean another name";
        }
        List<String> wheels = wheels();
        return advice
                + (wheels.isEmpty()
                        ? "define no scheduler, or a WheelTaskScheduler in its place"
                        : "make one of these @Primary: " + WheelSchedulers.textOf(wheels));
    }

    /** Returns the outcome of the condition of the wheel; null if it was not evaluated. */
    private @Nullable ConditionOutcome outcome() {
        ConditionEvaluationReport report = ConditionEvaluationReport.get(beanFactory);
        String source = WheelSchedulerAutoConfiguration.class.getName();
        if (report.getExclusions().contains(source)) {
            return null;
        }
        ConditionAndOutcomes outcomes = report.getConditionAndOutcomesBySource().get(source);
        if (outcomes == null) {
            // of an application that was processed ahead of time, whose conditions were met then
            return OnNoUserSchedulerCondition.outcome(beanFactory);
        }
        ConditionOutcome last = null;
        for (ConditionEvaluationReport.ConditionAndOutcome one : outcomes) {
            last = one.getOutcome();
            if (!last.isMatch() || one.getCondition() instanceof OnNoUserSchedulerCondition) {
                return last;
            }
        }
        return last;
    }

    private String oneWorkerOfBoots(WheelTaskScheduler wheel) {
        boolean isUnwanted = wheel.isInitialized()
                && wheel.getWheelScheduledExecutor().maxWorkers() == 1
                && !isWritten("spring.task.scheduling.pool.size")
                && !isWritten(WheelSchedulerProperties.PREFIX + ".worker.max-size");
        return isUnwanted
                ? ". It has one worker, the default of Boot's ThreadPoolTaskSchedulerBuilder: set"
                        + " spring.task.scheduling.pool.size, or build it with a "
                        + WheelTaskSchedulerBuilder.class.getSimpleName()
                : "";
    }

    private boolean isWritten(String property) {
        return Binder.get(environment).bind(property, String.class).isBound();
    }
}
