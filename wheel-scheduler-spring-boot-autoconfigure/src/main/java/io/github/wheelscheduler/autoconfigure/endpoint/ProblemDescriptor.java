package io.github.wheelscheduler.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The reason why a request was not served.
 *
 * @param error the rule, and the value that breaks it
 * @param knownTasks the number of tasks, if the requested one is not among them; else null
 */
public record ProblemDescriptor(String error, @Nullable Integer knownTasks) implements OperationResponseBody {}
