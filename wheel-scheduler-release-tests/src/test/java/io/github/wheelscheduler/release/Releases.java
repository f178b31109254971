package io.github.wheelscheduler.release;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The next release, staged twice, in two time zones, once for all tests of a JVM. The first one is signed, where there
 * is GnuPG; the second one is not.
 */
final class Releases {

    static final Path LOGS = Path.of("target", "logs").toAbsolutePath();

    private static boolean isAsked;
    private static StagedRelease first;
    private static Optional<SigningKey> key = Optional.empty();

    private Releases() {}

    /** Returns the first one. What has failed once is not tried again. */
    static synchronized StagedRelease first() throws IOException, InterruptedException {
        if (!isAsked) {
            isAsked = true;
            if (SigningKey.isPossible()) {
                key = Optional.of(SigningKey.create(LOGS.resolve("create-key.log")));
            }
            first = StagedRelease.build(
                    "first", Map.of(), key.map(SigningKey::mavenOptions).orElse(List.of()));
        }
        if (first == null) {
            throw new IllegalStateException("the release must be staged, could not be: see the test that ran before");
        }
        return first;
    }

    /** Returns the key that the first one is signed with. */
    static synchronized Optional<SigningKey> key() {
        return key;
    }

    static StagedRelease second() throws IOException, InterruptedException {
        return StagedRelease.build("second", Map.of("TZ", "Asia/Tokyo"), List.of());
    }

    /** Deletes the key. */
    static synchronized void deleteKey() throws IOException, InterruptedException {
        if (key.isPresent()) {
            key.get().delete(LOGS.resolve("delete-key.log"));
        }
    }
}
