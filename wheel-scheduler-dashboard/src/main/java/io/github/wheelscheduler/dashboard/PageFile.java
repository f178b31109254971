package io.github.wheelscheduler.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.MimeType;

/**
 * A file as it is served.
 *
 * @param etag weak, as a server may compress what it serves
 */
record PageFile(ByteArrayResource content, MimeType type, String etag) {

    static PageFile of(byte[] bytes, MimeType type) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return new PageFile(new ByteArrayResource(bytes), type, "W/\"%x-%x\"".formatted(sum.getValue(), bytes.length));
    }

    static PageFile of(String text, MimeType type) {
        return of(text.getBytes(StandardCharsets.UTF_8), type);
    }
}
