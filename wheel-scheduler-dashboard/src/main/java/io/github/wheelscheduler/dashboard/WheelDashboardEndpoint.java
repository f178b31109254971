package io.github.wheelscheduler.dashboard;

import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;
import org.springframework.util.function.SingletonSupplier;

/**
 * The endpoint {@code wheeldashboard}: a page on which tasks are seen and steered, and its files. The page reads from
 * the endpoints {@code wheelscheduler} and {@code wheeldurable}, whose access and exposure are their own.
 */
@WebEndpoint(id = WheelDashboardEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class WheelDashboardEndpoint {

    /** The id of the endpoint. */
    public static final String ID = "wheeldashboard";

    /** The path that is answered with the paths of the endpoints that the page reads. */
    public static final String SETTINGS = "settings";

    /** The path whose empty answer has a token in its headers where requests need one. */
    public static final String TOKEN = "token";

    private final Supplier<PathMappedEndpoints> endpoints;
    private final BooleanSupplier hasScheduler;
    private final String application;
    private final PageFiles files = new PageFiles();
    private final Supplier<PageFile> page;

    /**
     * Makes one.
     *
     * @param endpoints are asked for when the page is, as this endpoint is one of them
     * @param hasScheduler whether there is what {@code wheelscheduler} shows, where that is exposed; asked for likewise
     * @param application the name of the application, empty if it has none
     */
    public WheelDashboardEndpoint(
            Supplier<PathMappedEndpoints> endpoints, BooleanSupplier hasScheduler, String application) {
        this.endpoints = endpoints;
        this.hasScheduler = hasScheduler;
        this.application = application;
        this.page = SingletonSupplier.of(() -> files.page(new EndpointLinks(endpoints.get()).base()));
    }

    /** Answers with the page. */
    @ReadOperation(produces = "text/html")
    public WebEndpointResponse<Resource> page() {
        PageFile found = page.get();
        return new WebEndpointResponse<>(found.content(), found.type());
    }

    /** Answers with a file of the page, or with {@link #SETTINGS} or {@link #TOKEN}. */
    @ReadOperation(
            produces = {"application/json", "text/javascript", "text/css", "image/svg+xml", "image/png", "text/plain"})
    public WebEndpointResponse<Object> file(@Selector String file) {
        if (file.equals(SETTINGS)) {
            return json(new EndpointLinks(endpoints.get()).settings(application, hasScheduler.getAsBoolean()));
        }
        if (file.equals(TOKEN)) {
            return json(Map.of());
        }
        PageFile found = files.find(file);
        return found == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(found.content(), found.type());
    }

    private static WebEndpointResponse<Object> json(Map<String, ?> body) {
        return new WebEndpointResponse<>(OperationResponseBody.of(body), MimeType.valueOf("application/json"));
    }

    /**
     * Returns what changes with the content of a file, as an ETag.
     *
     * @param file empty for the page
     * @return null if there is no such file, or its content depends on who asks
     */
    public @Nullable String etag(String file) {
        PageFile found = file.isEmpty() ? page.get() : files.find(file);
        return found == null ? null : found.etag();
    }
}
