package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.worker.HandWorked;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A group beside lists that are looked through, which say which timer goes, waits or is refused, and in which order. No
 * two timers are due in the same tick, and each is scheduled some ticks ahead.
 */
final class GroupModel {

    /** So many ticks a timer is scheduled ahead at least: it is in the wheel before it is due. */
    static final int MIN_DELAY = 8;

    private static final Comparator<Item> BY_DEADLINE = Comparator.comparingLong(item -> item.dueTick);

    /** What has come about in all games. */
    static final class Seen {

        int handedOver;
        int waited;
        int refused;
        int passedHeld;
        int givenBack;
    }

    private final Seen seen;
    private final ThreadlessWheel wheel = new ThreadlessWheel();
    private final WheelScheduledExecutor group;
    private final Dispatcher dispatcher;
    private final HandWorked workers;
    private final @Nullable HandWorked refusals;

    // The reference

    private final OnFull onFull;
    private final int queueCapacity;
    private int maxSize;
    private int taken;
    private boolean isHeld;
    private boolean isPaused;
    private final List<Item> items = new ArrayList<>();
    private final Set<Long> dueTicks = new HashSet<>();

    /** In the wheel. */
    private final List<Item> armed = new ArrayList<>();

    private final Deque<Item> timed = new ArrayDeque<>();

    /** They have gone past held ones, and lack a slot. */
    private final Deque<Item> atOnce = new ArrayDeque<>();

    private final Deque<Item> ready = new ArrayDeque<>();
    private final List<Item> running = new ArrayList<>();

    GroupModel(int maxSize, int queueCapacity, OnFull onFull, Seen seen) {
        this.seen = seen;
        this.maxSize = maxSize;
        this.queueCapacity = queueCapacity;
        this.onFull = onFull;
        this.group = wheel.executor()
                .newGroup("group")
                .maxWorkers(maxSize)
                .queueCapacity(queueCapacity)
                .onFull(onFull)
                .build();
        Engine engine = EngineOf.executor(group);
        this.dispatcher = engine.dispatcher();
        this.workers = new HandWorked(engine.workers);
        GroupRefusals ofGroup = dispatcher.refusals;
        this.refusals = ofGroup == null ? null : new HandWorked(ofGroup.workers);
    }

    // Operations

    void schedule(int ticks, boolean runsAtOnce, boolean waitsWhenFull) {
        long dueTick = freeTick(ticks);
        Item item = new Item(dueTick, runsAtOnce, waitsWhenFull);
        items.add(item);
        armed.add(item);
        long nanos = (dueTick - wheel.nowTick()) * ThreadlessWheel.TICK_NANOS;
        item.timer = group.schedule(item, nanos, TimeUnit.NANOSECONDS);
        advance(0);
    }

    void startRun() {
        Item item = running.size() < maxSize && !isPaused ? ready.poll() : null;
        if (item != null) {
            item.run = workers.take();
            assertThat(item.run).as("the run that comes first").isSameAs(item.timer);
            running.add(item);
        }
    }

    void endRun(SplittableRandom random) {
        if (running.isEmpty()) {
            startRun();
        }
        if (!running.isEmpty()) {
            Item item = running.remove(random.nextInt(running.size()));
            workers.run(item.run);
            assertThat(item.runs).isEqualTo(item.isCancelled ? 0 : 1);
            taken--;
            advance(0);
        }
    }

    void cancel(SplittableRandom random) {
        Item item = any(random);
        if (item != null && !item.isOver()) {
            item.isCancelled = item.timer.cancel(false);
            assertThat(item.isCancelled).isTrue();
            armed.remove(item);
        }
    }

    void move(SplittableRandom random, int ticks) {
        Item item = any(random);
        if (item == null || item.isOver()) {
            return;
        }
        long dueTick = freeTick(ticks);
        long nanos = (dueTick - wheel.nowTick()) * ThreadlessWheel.TICK_NANOS;
        boolean isArmed = armed.contains(item) || timed.contains(item) || atOnce.contains(item);
        assertThat(item.timer.reschedule(nanos, TimeUnit.NANOSECONDS)).isEqualTo(isArmed);
        if (isArmed) {
            boolean isEarlier = dueTick < item.dueTick;
            item.dueTick = dueTick;
            if (isEarlier && (timed.remove(item) || atOnce.remove(item))) {
                armed.add(item);
            }
            advance(0);
        }
    }

    void setHeld(boolean value) {
        isHeld = value;
        if (value) {
            group.halt();
        } else {
            group.proceed();
        }
        advance(0);
    }

    void setPaused(boolean value) {
        isPaused = value;
        if (value) {
            group.pause();
        } else {
            group.resume();
        }
        advance(0);
    }

    void setMaxSize(int value) {
        maxSize = value;
        group.setMaxWorkers(value);
        advance(0);
    }

    /** Lets a timer go though others are held. */
    void force(SplittableRandom random) {
        Item item = any(random);
        if (item == null || !isHeld) {
            return;
        }
        group.forceRun(item.timer);
        boolean wasLinked = armed.contains(item) || timed.contains(item) || atOnce.contains(item);
        if (!item.isCancelled && wasLinked && item.dueTick <= wheel.nowTick()) {
            boolean ignored = armed.remove(item) || timed.remove(item) || atOnce.remove(item);
            if (hasSlot()) {
                handOver(item);
            } else if (waitsForSlot(item)) {
                atOnce.add(item);
            } else {
                refuse(item);
            }
        }
        advance(0);
    }

    /** Lets time pass, and messages be taken that detours hold up. */
    void advance(int ticks) {
        wheel.advance(ticks);
        expectPass();
        while (wheel.isAnyMessageLeft()) {
            wheel.advance(1);
            expectPass();
        }
    }

    // The rules

    private void expectPass() {
        if (isHeld) {
            // A cancelled one has no task any more, so it stays where it is.
            List<Item> passing = timed.stream()
                    .filter(item -> item.runsAtOnce && !item.isCancelled)
                    .toList();
            timed.removeAll(passing);
            atOnce.addAll(passing);
        }
        List<Item> due = armed.stream()
                .filter(item -> item.dueTick <= wheel.nowTick())
                .sorted(BY_DEADLINE)
                .toList();
        armed.removeAll(due);
        due.forEach(this::expectDue);
        letGo(atOnce);
        if (!isHeld && atOnce.isEmpty()) {
            letGo(timed);
        }
    }

    private void expectDue(Item item) {
        boolean hasToQueue = !timed.isEmpty() || !atOnce.isEmpty();
        if (isHeld && !item.runsAtOnce) {
            keep(item);
        } else if (!hasToQueue && hasSlot()) {
            handOver(item);
        } else if (waitsForSlot(item)) {
            keep(item);
        } else {
            refuse(item);
        }
    }

    private void keep(Item item) {
        seen.waited++;
        boolean passesHeld = isHeld && item.runsAtOnce;
        seen.passedHeld += passesHeld ? 1 : 0;
        (passesHeld ? atOnce : timed).add(item);
    }

    private void letGo(Deque<Item> list) {
        for (Item item = list.peek(); item != null && (item.isCancelled || hasSlot()); item = list.peek()) {
            list.remove();
            if (!item.isCancelled && item.dueTick > wheel.nowTick()) {
                armed.add(item);
            } else if (!item.isCancelled) {
                handOver(item);
            }
        }
    }

    private boolean hasSlot() {
        return taken < maxSize + queueCapacity;
    }

    private boolean waitsForSlot(Item item) {
        return onFull == OnFull.WAIT || isPaused || item.waitsWhenFull;
    }

    private void handOver(Item item) {
        seen.handedOver++;
        taken++;
        ready.add(item);
    }

    private void refuse(Item item) {
        seen.refused++;
        item.isRefused = true;
    }

    // Comparing

    void check() {
        int waiting = atOnce.size() + (isHeld ? 0 : timed.size());
        assertThat(workers.ready()).as("ready runs").isEqualTo(ready.size());
        assertThat(group.readyCount()).as("ready runs, and timers that wait").isEqualTo(ready.size() + waiting);
        assertThat(dispatcher.shortcut.isHeldUp()).as("timers wait for room").isEqualTo(waiting > 0);
        assertThat(slots().taken()).as("slots").isEqualTo(taken).isEqualTo(ready.size() + running.size());
        runRefusals();
        for (Item item : items) {
            assertThat(item.timer.isDone()).as(item.toString()).isEqualTo(item.isOver());
            assertThat(item.refusals).as(item.toString()).isEqualTo(item.isRefused ? 1 : 0);
        }
    }

    private GroupSlots slots() {
        GroupSlots slots = dispatcher.slots;
        assertThat(slots).isNotNull();
        return slots;
    }

    private void runRefusals() {
        if (refusals != null) {
            for (Runnable refused = refusals.take(); refused != null; refused = refusals.take()) {
                refused.run();
            }
        }
    }

    // The end

    /** Lets everything go and run. */
    void finish() {
        setHeld(false);
        setPaused(false);
        SplittableRandom any = new SplittableRandom(0);
        while (!armed.isEmpty() || !timed.isEmpty() || !ready.isEmpty() || !running.isEmpty()) {
            advance(1);
            startRun();
            endRun(any);
            check();
        }
        assertThat(items).allMatch(Item::isOver);
        assertThat(group.pendingCount()).isZero();
        assertThat(slots().taken()).isZero();
        wheel.close();
    }

    /** Stops the group, which hands back what has not begun. */
    void stop() {
        List<Item> neverRun = new ArrayList<>(armed);
        neverRun.addAll(timed);
        neverRun.addAll(atOnce);
        neverRun.addAll(ready);
        neverRun.removeIf(item -> item.isCancelled);
        neverRun.sort(BY_DEADLINE);
        assertThat(group.shutdownNow())
                .isEqualTo(neverRun.stream().map(item -> item.timer).toList());
        seen.givenBack += neverRun.size();
        running.forEach(item -> workers.run(item.run));
        assertThat(group.pendingCount()).isZero();
        wheel.close();
    }

    private @Nullable Item any(SplittableRandom random) {
        return items.isEmpty() ? null : items.get(items.size() - 1 - random.nextInt(Math.min(items.size(), 20)));
    }

    private long freeTick(int ticks) {
        long tick = wheel.nowTick() + ticks;
        while (!dueTicks.add(tick)) {
            tick++;
        }
        return tick;
    }

    /** A timer, which is its own task. */
    private static final class Item implements ManagedTask, Runnable {

        private final boolean runsAtOnce;
        private final boolean waitsWhenFull;
        private long dueTick;
        private boolean isCancelled;
        private boolean isRefused;
        private int runs;
        private int refusals;
        private WheelTimer<?> timer;
        private @Nullable Runnable run;

        Item(long dueTick, boolean runsAtOnce, boolean waitsWhenFull) {
            this.dueTick = dueTick;
            this.runsAtOnce = runsAtOnce;
            this.waitsWhenFull = waitsWhenFull;
        }

        boolean isOver() {
            return isCancelled || isRefused || runs > 0;
        }

        @Override
        public String taskName() {
            return toString();
        }

        @Override
        public void run() {
            runs++;
        }

        @Override
        public void refused(RejectedExecutionException reason) {
            refusals++;
        }

        @Override
        public boolean runsAtOnce() {
            return runsAtOnce;
        }

        @Override
        public boolean waitsWhenFull() {
            return waitsWhenFull;
        }

        @Override
        public String toString() {
            return "due at tick " + dueTick;
        }
    }
}
