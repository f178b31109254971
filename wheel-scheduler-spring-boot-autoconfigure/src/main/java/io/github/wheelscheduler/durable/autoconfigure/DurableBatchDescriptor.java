package io.github.wheelscheduler.durable.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of one request that steers the tasks that a filter matches.
 *
 * @param done how many tasks were changed
 * @param gone how many had gone, or had come into another state, before they were
 * @param left how many are left, up to 10,000
 * @param moreLeft whether there may be more than that
 * @param after what the next request sends to go on; null if nothing is left
 */
public record DurableBatchDescriptor(
        int done,
        int gone,
        int left,
        boolean moreLeft,
        @Nullable String after) implements OperationResponseBody {}
