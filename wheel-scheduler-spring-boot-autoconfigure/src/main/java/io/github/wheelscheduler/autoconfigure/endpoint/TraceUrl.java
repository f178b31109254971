package io.github.wheelscheduler.autoconfigure.endpoint;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Addresses of traces in the tracer's own page. */
public final class TraceUrl {

    /** The property that holds the template. */
    public static final String PROPERTY = "wheel.scheduler.trace-url";

    private TraceUrl() {}

    /**
     * Returns the address of a trace; null if there is no template or no trace id.
     *
     * @param template with {@code {traceId}} in place of the id
     */
    public static @Nullable String of(@Nullable String template, @Nullable String traceId) {
        // An application may say what it likes as an id.
        return template == null || traceId == null
                ? null
                : template.replace("{traceId}", URLEncoder.encode(traceId, StandardCharsets.UTF_8));
    }
}
