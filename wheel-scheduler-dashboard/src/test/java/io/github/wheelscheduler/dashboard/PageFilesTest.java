package io.github.wheelscheduler.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The folder is served, and nothing else, and is small. */
class PageFilesTest {

    private static final Path FOLDER = Path.of("src/main/resources/io/github/wheelscheduler/dashboard/page");

    /** A page should open at once, and be read without a tool; so it may have so many bytes, as written. */
    private static final long MOST_BYTES = 153_000;

    private final PageFiles files = new PageFiles();

    @Test
    void eachFileOfTheFolderIsServed() throws IOException {
        List<Path> folder;
        try (Stream<Path> listed = Files.list(FOLDER)) {
            folder = listed.filter(file -> !file.endsWith("index.html")).toList();
        }
        assertThat(folder).isNotEmpty();
        for (Path path : folder) {
            PageFile file = files.find(path.getFileName().toString());
            assertThat(file)
                    .as("%s has a name and a type that are served", path)
                    .isNotNull();
            assertThat(file.content().getByteArray()).isEqualTo(Files.readAllBytes(path));
            assertThat(file.etag()).startsWith("W/\"").endsWith("\"");
            assertThat(files.find(path.getFileName().toString())).isSameAs(file);
        }
    }

    @Test
    void ownFilesStaySmall() throws IOException {
        long bytes = 0;
        try (Stream<Path> listed = Files.list(FOLDER)) {
            for (Path path : listed.toList()) {
                bytes += path.getFileName().toString().startsWith("uplot") ? 0 : Files.size(path);
            }
        }
        assertThat(bytes).isBetween(MOST_BYTES / 2, MOST_BYTES - 1);
    }

    @Test
    void linksOfThePageBeginWithItsBase() {
        String page = new String(files.page("the-base").content().getByteArray(), StandardCharsets.UTF_8);
        assertThat(page).contains("\"the-base/app.js\"").doesNotContain("__BASE__");
        assertThat(files.page("other").etag())
                .isNotEqualTo(files.page("the-base").etag());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "index.html",
                "app",
                ".js",
                "app.",
                "app..js",
                "../app.js",
                "x/../app.js",
                "./app.js",
                "/app.js",
                "app.js/",
                "app.js\n",
                "app.js\0.css",
                "..\\app.js",
                "APP.JS",
                "PageFiles.class",
                "../PageFiles.class",
                "none.js"
            })
    void nothingElseIsServed(String name) {
        assertThat(files.find(name)).isNull();
    }
}
