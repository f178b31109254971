package io.github.wheelscheduler.internal.inbox;

import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/**
 * A queue for one group of callers.
 *
 * @param <E> the messages
 */
final class Stripe<E> extends MpscUnboundedVarHandleArrayQueue<E> {

    static {
        // Every step of posting once. A producer that has moved the index must store its message; if the virtual
        // machine
        // still had to link that step, a caller with little stack left could fail in between and leave a hole for ever.
        Stripe<Object> rehearsal = new Stripe<>(2);
        for (int i = 0; i < 8; i++) {
            boolean ignored = rehearsal.offer(rehearsal);
        }
        for (int i = 0; i < 8; i++) {
            Object ignored = rehearsal.relaxedPoll();
        }
    }

    Stripe(int chunkSize) {
        super(chunkSize);
    }

    /** Whether nothing has been posted, nor is being posted, that has not been taken out. Exact for the consumer. */
    boolean isDrained() {
        return lvProducerIndex() == 2 * currentConsumerIndex();
    }

    /** Returns about how many messages wait. Any thread. */
    long waiting() {
        return Math.max(0, currentProducerIndex() - currentConsumerIndex());
    }
}
