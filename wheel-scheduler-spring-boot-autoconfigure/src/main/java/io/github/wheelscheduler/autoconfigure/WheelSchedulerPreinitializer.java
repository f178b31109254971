package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Future;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.util.ReflectionUtils;

/**
 * Takes our classes into use on another processor while the application starts, so that they are loaded when it needs
 * them. With more than one processor, Boot calls it on the thread that preloads its own classes. Boot ignores failures,
 * and waits for the end before the application is ready. The objects created here are discarded.
 */
final class WheelSchedulerPreinitializer implements BackgroundPreinitializer {

    static final String THREADS = "wheel-preinit";

    private static final List<Class<?>> CONFIGURATIONS = List.of(
            WheelTaskSchedulerBuilderAutoConfiguration.class,
            WheelSchedulerAutoConfiguration.class,
            TimerWheelAutoConfiguration.class);

    WheelSchedulerPreinitializer() {}

    /** Goes in the order in which a start needs them. */
    @Override
    public void preinitialize() {
        for (Class<?> configuration : CONFIGURATIONS) {
            Method[] ignored = ReflectionUtils.getDeclaredMethods(configuration);
        }
        NamedSettings ignored =
                new NamedSettings(new StandardEnvironment(), GroupBeans.PROPERTY, GroupProperties.class);
        scheduleOne(new WheelSchedulerProperties());
    }

    /** As no thread of the scheduler starts, nothing has to end it: that would load more classes than a start does. */
    private static void scheduleOne(WheelSchedulerProperties defaults) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setThreadFactory(Unstarted::new);
        defaults.applyTo(scheduler);
        scheduler.initialize();
        Future<?> ignored = scheduler.schedule(() -> {}, new CronTrigger("0 0 0 1 1 *"));
    }

    /** A thread that only looks started. */
    private static final class Unstarted extends Thread {

        Unstarted(Runnable run) {
            super(run, THREADS);
        }

        @Override
        public void start() {}
    }
}
