package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.wheel.Bucket;
import io.github.wheelscheduler.internal.wheel.TimerNode;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * In virtual time, all timers that are due, of the executor and of its groups, in the order of the wheel: one goes
 * after the other, as far as {@link Hold} allows it. One whose group is halted, or has no slot for it, is passed by
 * until that ends. Tick thread only.
 */
final class StepQueue {

    /** The number of timers that leave in a pass. */
    private static final int BUDGET = 1024;

    private final TimingWheel wheel;
    private final Hold hold;
    private final Dispatchers dispatchers;
    private final Bucket list;

    /** The dispatchers whose timers have been passed by for lack of a slot. */
    private final List<Dispatcher> lacking = new ArrayList<>();

    StepQueue(TimingWheel wheel, Dispatchers dispatchers) {
        this.wheel = wheel;
        this.hold = dispatchers.root.hold;
        this.dispatchers = dispatchers;
        this.list = wheel.newWaitingList();
    }

    /** Lets a due timer wait for its turn, which is in no list. */
    void keep(ScheduledTimer<?> timer) {
        wheel.addWaiting(timer, list);
    }

    /** Releases timers one by one, while they may leave, and returns whether there are more that may leave now. */
    boolean letGo(HandOver handOver) {
        try {
            for (int left = BUDGET; left > 0; left--) {
                ScheduledTimer<?> timer = hold.allowed() == 0 ? null : next(hold.choice.get());
                if (timer == null) {
                    return false;
                }
                Dispatcher dispatcher = dispatchers.of(timer);
                dispatcher.uncountPassedBy();
                boolean isOver = timer.isDone();
                boolean hasSlot = !isOver && dispatcher.takeSlot(timer);
                // Another run may have taken the slot meanwhile; then it is put back, unless its group refuses.
                handOver.takeOut(timer, isOver, hasSlot);
            }
            return true;
        } finally {
            dispatchers.signalHandOver();
        }
    }

    private @Nullable ScheduledTimer<?> next(@Nullable IntUnaryOperator choice) {
        if (choice == null && list.peek() instanceof ScheduledTimer<?> first && mayGo(first)) {
            return first;
        }
        List<ScheduledTimer<?>> may = mayGo(choice == null ? 1 : Integer.MAX_VALUE);
        return may.isEmpty() ? null : may.get(choice == null ? 0 : choice.applyAsInt(may.size()));
    }

    private boolean mayGo(ScheduledTimer<?> timer) {
        return timer.isDone() || dispatchers.of(timer).mayGo(timer);
    }

    /** Returns the timers that may go, in their order, up to the given number. */
    List<ScheduledTimer<?>> mayGo(int most) {
        List<ScheduledTimer<?>> may = new ArrayList<>();
        lacking.forEach(dispatcher -> dispatcher.passedBy = 0);
        Predicate<TimerNode> look = node -> {
            ScheduledTimer<?> timer = (ScheduledTimer<?>) node;
            if (may.size() < most && mayGo(timer)) {
                may.add(timer);
            } else if (!timer.isDone() && dispatchers.of(timer).lacksSlot) {
                countIn(dispatchers.of(timer), timer);
            }
            return false;
        };
        wheel.removeIf(list, look, node -> {});
        lacking.forEach(Dispatcher::noteWaiting);
        boolean ignored = lacking.removeIf(dispatcher -> dispatcher.passedBy == 0);
        return may;
    }

    private void countIn(Dispatcher dispatcher, ScheduledTimer<?> timer) {
        if (dispatcher.passedBy == 0 && !lacking.contains(dispatcher)) {
            lacking.add(dispatcher);
        }
        dispatcher.countPassedBy(timer);
    }
}
