package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.HeldPackages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A page names the packages that programs may rely on, and all others say that they may change. */
class HeldPackagesTest {

    private static final Path PAGE = Path.of("../UPGRADING.md");
    private static final Pattern NAME = Pattern.compile("`(io\\.github\\.wheelscheduler[a-z.]*)`");

    @Test
    void pageNamesThePackagesThatDoNotSayThatTheyMayChange() throws IOException {
        List<String> named = NAME.matcher(Files.readString(PAGE))
                .results()
                .map(name -> name.group(1))
                .toList();
        assertThat(named).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(HeldPackages.names());
    }

    @Test
    void internalPackagesSayThatTheyMayChange() throws IOException {
        assertThat(HeldPackages.names()).isNotEmpty().noneMatch(name -> name.contains(".internal"));
    }
}
