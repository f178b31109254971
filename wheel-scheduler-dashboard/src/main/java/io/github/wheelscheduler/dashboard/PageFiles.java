package io.github.wheelscheduler.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MimeType;

/** The files of the folder {@code page}, all that have a plain name and a known type. None is read twice. */
final class PageFiles {

    private static final String PAGE = "index.html";
    private static final int LONGEST_NAME = 60;

    /** One name of letters, digits, single dots and hyphens: nothing that leads to another folder. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(?:[.-][a-z0-9]+)*\\.([a-z]+)");

    private static final Map<String, MimeType> TYPES = Map.of(
            "css", MimeType.valueOf("text/css;charset=UTF-8"),
            "js", MimeType.valueOf("text/javascript;charset=UTF-8"),
            "png", MimeType.valueOf("image/png"),
            "svg", MimeType.valueOf("image/svg+xml;charset=UTF-8"),
            "txt", MimeType.valueOf("text/plain;charset=UTF-8"));

    /** Has no more than the folder. Writers: any thread. */
    private final Map<String, PageFile> known = new ConcurrentHashMap<>();

    /**
     * Returns the page.
     *
     * @param base the prefix of its links
     */
    PageFile page(String base) {
        byte[] bytes = read(PAGE);
        if (bytes == null) {
            throw new IllegalStateException("the page must have a file " + PAGE + ", but has none");
        }
        String text = new String(bytes, StandardCharsets.UTF_8).replace("__BASE__", base);
        return PageFile.of(text, MimeType.valueOf("text/html;charset=UTF-8"));
    }

    /** Returns a file, except the page; null if there is none of that name. */
    @Nullable
    PageFile find(String name) {
        PageFile found = known.get(name);
        if (found != null) {
            return found;
        }
        Matcher matcher = NAME.matcher(name);
        MimeType type = name.length() <= LONGEST_NAME && matcher.matches() ? TYPES.get(matcher.group(1)) : null;
        byte[] bytes = type == null ? null : read(name);
        if (type == null || bytes == null) {
            return null;
        }
        PageFile read = PageFile.of(bytes, type);
        known.put(name, read);
        return read;
    }

    private static byte @Nullable [] read(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream("page/" + name)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
