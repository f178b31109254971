package io.github.wheelscheduler.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A key of GnuPG for one test, in a directory of its own, which is short, as the path of a socket is in it. */
final class SigningKey {

    private static final String NAME = "release-tests@example.org";

    private final Path home;

    private SigningKey(Path home) {
        this.home = home;
    }

    static boolean isPossible() {
        return Commands.isInstalled("gpg");
    }

    static SigningKey create(Path log) throws IOException, InterruptedException {
        Path home = Files.createTempDirectory(
                "key", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        SigningKey key = new SigningKey(home);
        key.gpg(log, "--passphrase", "", "--quick-generate-key", NAME, "ed25519", "sign", "never");
        return key;
    }

    /** Returns what makes Maven sign with this key. */
    List<String> mavenOptions() {
        return List.of("-Dgpg.keyname=" + NAME, "-Dgpg.homedir=" + home);
    }

    /** Fails if the signature beside the file is not one of this key for the file. */
    void verify(Path log, Path file) throws IOException, InterruptedException {
        gpg(log, "--verify", file + ".asc", file.toString());
    }

    private void gpg(Path log, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("gpg", "--batch", "--homedir", home.toString()));
        command.addAll(List.of(arguments));
        Commands.run(home, log, Map.of(), command);
    }

    /** Ends the agent that GnuPG has started for the key, and deletes both. */
    void delete(Path log) throws IOException, InterruptedException {
        Commands.run(home, log, Map.of(), List.of("gpgconf", "--homedir", home.toString(), "--kill", "gpg-agent"));
        Checkout.delete(home);
    }
}
