package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindingPostProcessor;

/**
 * Settings of the auto-configured scheduler, which are usable once they are bound.
 *
 * <p>A bean, and no record: where nothing is set, Boot binds a bean in next to no time, and a record has its defaults
 * read from annotations and converted at the start of each application. Its sections are in here, as the annotation
 * that those in other files need makes the JVM generate two classes. A section can be set as a whole, as an empty one
 * is in YAML.
 */
@ConfigurationProperties(WheelSchedulerProperties.PREFIX)
class WheelSchedulerProperties implements BeanFactoryAware, InitializingBean {

    static final String PREFIX = "wheel.scheduler";

    /** Whether scheduled tasks run on the timing wheel instead of on Spring Boot's own scheduler. */
    private boolean enabled = true;

    /**
     * Treatment of scheduled tasks: run, halted (due tasks wait until the mode changes), or off (they never
     * run). Tasks that are executed, submitted or triggered by hand run in any mode.
     */
    private SchedulerMode mode = SchedulerMode.RUN;

    /** Maximum rounding of a start time, between 1us and 1s. A short tick costs no additional wake-ups. */
    private Duration tick = Duration.ofNanos(16384);

    /** Maximum number of tasks that are pending or repeating. Further tasks are rejected. Unlimited unless set. */
    private @Nullable Long maxPending;

    /** Maximum number of missed runs that a fixed rate catches up on. With 0, it catches up on none and keeps its
     * phase. */
    private int maxCatchUp = 10;

    /** Maximum delay of runs of repeating tasks, so that they share a wake-up with others. 0 disables it. The delay is
     * halved until it is at most half of the period, or ends before the next instant of a cron. */
    private Duration startTolerance = Duration.ZERO;

    /** Name of this process among those with the same tasks. A jitter that is fixed per node depends on it. The name of
     * the machine unless set. */
    private @Nullable String node;

    /** Reaction to a property of a single task or group whose last part is not a setting. Environment variables only
     * cause a warning. */
    private OnUnknown unknownSettings = OnUnknown.FAIL;

    /** Reaction to settings for an id that no task has when the application is ready. Environment variables only cause
     * a warning. */
    private OnUnknown unknownTasks = OnUnknown.WARN;

    /** Tasks that are observed if there is an ObservationRegistry: annotated for the methods that Spring observes,
     * named for these and tasks with a name, or all. */
    private ObservedTasks observe = ObservedTasks.ANNOTATED;

    /** Maximum delay of a one-time task that continues the trace of its caller. A task with a longer delay has a trace
     * of its own, with a link. */
    private Duration traceChildWithin = Duration.ofSeconds(5);

    /** Address of a trace in the web page of the tracer, to which the endpoint and the dashboard link. The placeholder
     * traceId in braces stands for the id of the trace. */
    private @Nullable String traceUrl;

    private Worker worker = new Worker();

    private Shutdown shutdown = new Shutdown();

    private Warn warn = new Warn();

    private Overdue overdue = new Overdue();

    private Health health = new Health();

    /** Is bound at once where it is wanted before Spring binds any bean, as by a post-processor of bean definitions. */
    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        for (BeanPostProcessor known : ((AbstractBeanFactory) beanFactory).getBeanPostProcessors()) {
            if (known instanceof ConfigurationPropertiesBindingPostProcessor) {
                return;
            }
        }
        Object ignored = beanFactory
                .getBean(ConfigurationPropertiesBindingPostProcessor.class)
                .postProcessBeforeInitialization(this, PREFIX + "-" + getClass().getName());
    }

    @Override
    public void afterPropertiesSet() {
        UnusableSettingException.unless(
                tick.compareTo(WheelScheduledExecutorBuilder.MIN_TICK) >= 0
                        && tick.compareTo(WheelScheduledExecutorBuilder.MAX_TICK) <= 0,
                PREFIX + ".tick",
                tick,
                "must be between 1us and 1s",
                "1ms");
        UnusableSettingException.unless(
                maxPending == null || maxPending >= 1,
                PREFIX + ".max-pending",
                maxPending,
                "must be at least 1",
                "100000");
        UnusableSettingException.unless(
                maxCatchUp >= 0, PREFIX + ".max-catch-up", maxCatchUp, "must not be negative", "0");
        requireNotNegative(".start-tolerance", startTolerance, "1s");
        UnusableSettingException.unless(
                node == null || !node.isBlank(), PREFIX + ".node", node, "must not be blank", "node-1");
        UnusableSettingException.unless(
                !traceChildWithin.isNegative(),
                PREFIX + ".trace-child-within",
                traceChildWithin,
                "must not be negative",
                "5s");
        UnusableSettingException.unless(
                traceUrl == null || (traceUrl.matches("https?://.+") && traceUrl.contains("{traceId}")),
                PREFIX + ".trace-url",
                "'" + traceUrl + "'",
                "must begin with http:// or https://, and have {traceId} in it",
                "https://tracer.example/trace/{traceId}");
        worker.check();
        warn.check();
        overdue.check();
        health.check();
    }

    /** Applies everything except the limit of workers, which not only this decides. */
    void applyTo(WheelTaskScheduler scheduler) {
        scheduler.setMode(mode);
        scheduler.setTick(tick);
        scheduler.setWorkerKeepAlive(worker.keepAlive);
        scheduler.setMaxCatchUp(maxCatchUp);
        scheduler.setStartTolerance(startTolerance);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(shutdown.executeDelayedTasks);
        scheduler.setWarningLimits(warn.toLimits());
        scheduler.getTaskRegistry().setOverdueGrace(overdue.grace, overdue.shortestGrace);
        if (node != null) {
            scheduler.setNode(node);
        }
        if (maxPending != null) {
            scheduler.setMaxPending(maxPending);
        }
    }

    static void requireNotNegative(String setting, @Nullable Duration value, String example) {
        UnusableSettingException.unless(
                value == null || !value.isNegative(), PREFIX + setting, value, "must not be negative", example);
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public ObservedTasks getObserve() {
        return observe;
    }

    public void setObserve(ObservedTasks observe) {
        this.observe = observe;
    }

    public Duration getTraceChildWithin() {
        return traceChildWithin;
    }

    public void setTraceChildWithin(Duration traceChildWithin) {
        this.traceChildWithin = traceChildWithin;
    }

    public @Nullable String getTraceUrl() {
        return traceUrl;
    }

    public void setTraceUrl(@Nullable String traceUrl) {
        this.traceUrl = traceUrl;
    }

    public SchedulerMode getMode() {
        return mode;
    }

    public void setMode(SchedulerMode mode) {
        this.mode = mode;
    }

    public Duration getTick() {
        return tick;
    }

    public void setTick(Duration tick) {
        this.tick = tick;
    }

    public @Nullable Long getMaxPending() {
        return maxPending;
    }

    public void setMaxPending(@Nullable Long maxPending) {
        this.maxPending = maxPending;
    }

    public int getMaxCatchUp() {
        return maxCatchUp;
    }

    public void setMaxCatchUp(int maxCatchUp) {
        this.maxCatchUp = maxCatchUp;
    }

    public Duration getStartTolerance() {
        return startTolerance;
    }

    public void setStartTolerance(Duration startTolerance) {
        this.startTolerance = startTolerance;
    }

    public @Nullable String getNode() {
        return node;
    }

    public void setNode(@Nullable String node) {
        this.node = node;
    }

    public OnUnknown getUnknownSettings() {
        return unknownSettings;
    }

    public void setUnknownSettings(OnUnknown unknownSettings) {
        this.unknownSettings = unknownSettings;
    }

    public OnUnknown getUnknownTasks() {
        return unknownTasks;
    }

    public void setUnknownTasks(OnUnknown unknownTasks) {
        this.unknownTasks = unknownTasks;
    }

    public Worker getWorker() {
        return worker;
    }

    public void setWorker(Worker worker) {
        this.worker = worker;
    }

    public Shutdown getShutdown() {
        return shutdown;
    }

    public void setShutdown(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    public Warn getWarn() {
        return warn;
    }

    public void setWarn(Warn warn) {
        this.warn = warn;
    }

    public Overdue getOverdue() {
        return overdue;
    }

    public void setOverdue(Overdue overdue) {
        this.overdue = overdue;
    }

    public Health getHealth() {
        return health;
    }

    public void setHealth(Health health) {
        this.health = health;
    }

    /** Settings of the threads that run tasks. */
    static class Worker {

        /** Maximum number of tasks that run at a time. If not set, it is the value of
         * spring.task.scheduling.pool.size, else 256. With virtual threads, it is the value of
         * spring.task.scheduling.simple.concurrency-limit, else unlimited. */
        private @Nullable Integer maxSize;

        /** Time a worker thread stays idle before it ends. Doesn't have an effect if virtual threads are
         * enabled. */
        private Duration keepAlive = Duration.ofSeconds(60);

        public @Nullable Integer getMaxSize() {
            return maxSize;
        }

        public void setMaxSize(@Nullable Integer maxSize) {
            this.maxSize = maxSize;
        }

        public Duration getKeepAlive() {
            return keepAlive;
        }

        public void setKeepAlive(Duration keepAlive) {
            this.keepAlive = keepAlive;
        }

        private void check() {
            Integer size = maxSize;
            UnusableSettingException.unless(
                    size == null || size >= 1, PREFIX + ".worker.max-size", size, "must be at least 1", "16");
            requireNotNegative(".worker.keep-alive", keepAlive, "60s");
        }
    }

    /** Settings of the shutdown, beside those of spring.task.scheduling.shutdown. */
    static class Shutdown {

        /** Whether one-time tasks that are not due yet still run if the shutdown waits for tasks. If a period limits
         * the wait, only tasks that are due within it run. */
        private boolean executeDelayedTasks = true;

        public boolean isExecuteDelayedTasks() {
            return executeDelayedTasks;
        }

        public void setExecuteDelayedTasks(boolean executeDelayedTasks) {
            this.executeDelayedTasks = executeDelayedTasks;
        }
    }

    /** When the log says that something is wrong. */
    static class Warn {

        /** Maximum delay of the hand-over of a task by the tick thread before a warning is logged. 0 for never. */
        private Duration oversleep = Duration.ofMillis(500);

        /** Maximum time a due task waits for a worker before a warning is logged. 0 for never. */
        private Duration queueWait = Duration.ofSeconds(1);

        /** Maximum duration of a run before the stack of its thread is logged. Unlimited unless set, or with 0. */
        private @Nullable Duration run;

        /** Maximum duration of a run of a registered task before it is interrupted. Unlimited unless set, or with 0. */
        private @Nullable Duration interruptRun;

        public Duration getOversleep() {
            return oversleep;
        }

        public void setOversleep(Duration oversleep) {
            this.oversleep = oversleep;
        }

        public Duration getQueueWait() {
            return queueWait;
        }

        public void setQueueWait(Duration queueWait) {
            this.queueWait = queueWait;
        }

        public @Nullable Duration getRun() {
            return run;
        }

        public void setRun(@Nullable Duration run) {
            this.run = run;
        }

        public @Nullable Duration getInterruptRun() {
            return interruptRun;
        }

        public void setInterruptRun(@Nullable Duration interruptRun) {
            this.interruptRun = interruptRun;
        }

        private void check() {
            requireNotNegative(".warn.oversleep", oversleep, "500ms");
            requireNotNegative(".warn.queue-wait", queueWait, "1s");
            requireNotNegative(".warn.run", run, "30s");
            requireNotNegative(".warn.interrupt-run", interruptRun, "10m");
            UnusableSettingException.unless(
                    run == null
                            || run.isZero()
                            || interruptRun == null
                            || interruptRun.isZero()
                            || interruptRun.compareTo(run) >= 0,
                    PREFIX + ".warn.interrupt-run",
                    interruptRun,
                    "must not be shorter than " + PREFIX + ".warn.run, which is " + run,
                    String.valueOf(run));
        }

        private WarningLimits toLimits() {
            return new WarningLimits(oversleep, queueWait, run, interruptRun);
        }
    }

    /** When a task counts as overdue. */
    static class Overdue {

        /** Maximum delay of a task before it counts as overdue, as a share of its interval. */
        private double grace = 1.0;

        /** Minimum delay of a task before it counts as overdue, however short its interval is. */
        private Duration shortestGrace = Duration.ofSeconds(1);

        public double getGrace() {
            return grace;
        }

        public void setGrace(double grace) {
            this.grace = grace;
        }

        public Duration getShortestGrace() {
            return shortestGrace;
        }

        public void setShortestGrace(Duration shortestGrace) {
            this.shortestGrace = shortestGrace;
        }

        private void check() {
            UnusableSettingException.unless(
                    grace >= 0, PREFIX + ".overdue.grace", grace, "must not be negative", "0.5");
            requireNotNegative(".overdue.shortest-grace", shortestGrace, "1s");
        }
    }

    /** Settings of the health indicator. */
    static class Health {

        /** Maximum time that the tick thread may be overdue before the health is down. */
        private Duration stuckLimit = Duration.ofSeconds(10);

        /** Status of the health while the scheduler is paused, such as UP or OUT_OF_SERVICE. */
        private String pausedStatus = "UP";

        public Duration getStuckLimit() {
            return stuckLimit;
        }

        public void setStuckLimit(Duration stuckLimit) {
            this.stuckLimit = stuckLimit;
        }

        public String getPausedStatus() {
            return pausedStatus;
        }

        public void setPausedStatus(String pausedStatus) {
            this.pausedStatus = pausedStatus;
        }

        private void check() {
            UnusableSettingException.unless(
                    !pausedStatus.isBlank(),
                    PREFIX + ".health.paused-status",
                    pausedStatus,
                    "must not be blank",
                    "OUT_OF_SERVICE");
            UnusableSettingException.unless(
                    !(stuckLimit.isNegative() || stuckLimit.isZero()),
                    PREFIX + ".health.stuck-limit",
                    stuckLimit,
                    "must be positive",
                    "10s");
        }
    }
}
