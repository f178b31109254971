package io.github.wheelscheduler.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Programs may rely on the members of this module that its text in the folder {@code api} lists, and on none of an
 * unpublished module.
 */
class ApiTest {

    @Test
    void typesAndMembersAreThoseOfTheText() throws IOException {
        Path module = Path.of("").toAbsolutePath();
        boolean isPublished = HeldPackages.publishedModules().stream()
                .anyMatch(published -> published.getFileName().equals(module.getFileName()));
        List<String> lines =
                isPublished ? ApiText.of(module.resolve("target/classes"), HeldPackages.names()) : List.of();
        new AcceptedText(module.getFileName().toString()).requireEqual(lines);
    }
}
