package io.github.wheelscheduler.durable.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of one request that steers the tasks that a filter matches.
 *
 * @param done the number of tasks that were changed
 * @param gone the number of tasks that had gone, or had come into another state, before they were changed
 * @param left the number of tasks that are left, up to 10,000
 * @param moreLeft whether there may be more than that
 * @param after the cursor that the next request sends to continue; null if nothing is left
 */
public record DurableBatchDescriptor(
        int done,
        int gone,
        int left,
        boolean moreLeft,
        @Nullable String after) implements OperationResponseBody {}
