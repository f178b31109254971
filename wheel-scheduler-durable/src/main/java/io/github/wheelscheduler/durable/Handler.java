package io.github.wheelscheduler.durable;

/** A handler of this node. */
record Handler<T>(String name, Class<T> payloadType, RetryPolicy retries, TaskBody<? super T> body) {

    /** @throws Exception whatever the body throws, or if the payload cannot be read */
    void run(byte[] payload, Payloads payloads) throws Exception {
        body.run(payloads.read(payload, payloadType));
    }
}
