package io.github.wheelscheduler.history.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The stack trace of an exception without messages: classes and frames of all causes. Names that the JVM or a library
 * generates differ from start to start, and stand without their numbers.
 *
 * @param kind the hash of the text
 * @param text a line for each class and frame
 */
record FailureText(String kind, String text) {

    private static final int MOST_CAUSES = 20;
    private static final int MOST_FRAMES = 200;
    private static final int LONGEST = 16_000;
    private static final int HASH_BYTES = 16;

    /** Numbers of lambdas, hidden classes, proxies, accessors, and subclasses of Spring's and others. */
    private static final Pattern GENERATED =
            Pattern.compile("(\\$\\$Lambda)(?:\\$[0-9]+)?(?:/(?:0x)?[0-9a-f]+)?|/0x[0-9a-f]+|(?<=\\$Proxy)[0-9]+"
                    + "|(?<=(?:Method|Constructor)Accessor)[0-9]+|(?<=CGLIB\\$\\$)[0-9a-f]+"
                    + "|(?<=LambdaForm\\$MH)[0-9]+");

    /** Returns that of an exception; null if a user's exception does not tell it. */
    static @Nullable FailureText of(Throwable thrown) {
        try {
            String text = write(thrown);
            return new FailureText(hash(text), text);
        } catch (Throwable ex) {
            return null;
        }
    }

    /** Returns a name without what is generated in it. */
    static String normalized(String name) {
        return GENERATED
                .matcher(name)
                .replaceAll(match -> match.group(1) == null ? "" : Matcher.quoteReplacement(match.group(1)))
                .replace("\u0000", "");
    }

    private static String write(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Throwable cause = thrown;
        while (cause != null && seen.size() < MOST_CAUSES && seen.add(cause) && text.length() < LONGEST) {
            text.append(seen.size() == 1 ? "" : "Caused by: ")
                    .append(cause.getClass().getName())
                    .append('\n');
            StackTraceElement[] frames = cause.getStackTrace();
            for (int i = 0; i < Math.min(frames.length, MOST_FRAMES) && text.length() < LONGEST; i++) {
                text.append("\tat ").append(frames[i]).append('\n');
            }
            cause = cause.getCause();
        }
        return normalized(text.toString());
    }

    private static String hash(String text) throws NoSuchAlgorithmException {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    }
}
