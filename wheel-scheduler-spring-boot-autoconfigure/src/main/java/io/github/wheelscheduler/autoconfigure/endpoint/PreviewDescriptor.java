package io.github.wheelscheduler.autoconfigure.endpoint;

import java.time.Instant;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What a schedule would be like.
 *
 * @param words the schedule in English
 * @param upcoming the next runs
 */
public record PreviewDescriptor(String words, List<Instant> upcoming) implements OperationResponseBody {}
