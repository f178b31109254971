package io.github.wheelscheduler.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebOperation;

/** Links lead from the page to what it asks, wherever both are mapped. */
class EndpointLinksTest {

    private record Mapped(String id, String rootPath) implements ExposableWebEndpoint {

        @Override
        public EndpointId getEndpointId() {
            return EndpointId.of(id);
        }

        @Override
        public Access getDefaultAccess() {
            return Access.READ_ONLY;
        }

        @Override
        public Collection<WebOperation> getOperations() {
            return List.of();
        }

        @Override
        public String getRootPath() {
            return rootPath;
        }
    }

    private static EndpointLinks links(String basePath, Mapped... endpoints) {
        return new EndpointLinks(new PathMappedEndpoints(basePath, () -> List.of(endpoints)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /actuator | wheeldashboard | wheelscheduler | wheeldashboard | wheelscheduler
            /actuator | ops/wheel      | ops/tasks      | wheel          | tasks
            /actuator | ops/wheel      | wheelscheduler | wheel          | ../wheelscheduler
            /actuator | ops/wheel      | ops/wheel/data | wheel          | wheel/data
            /actuator | a/b/c          | a/x/c          | c              | ../x/c
            /actuator | wheel          | a/b            | wheel          | a/b
            /a/b      | wheel/ops      | wheel          | ops            | ../wheel
            ''        | wheel          | tasks          | wheel          | tasks
            /         | /ops/wheel     | /tasks         | wheel          | ../tasks
            /actuator | a b:c<"        | x:y            | a%20b%3Ac%3C%22| x%3Ay
            /actuator | /              | tasks          | actuator       | actuator/tasks
            """)
    void linkIsRelativeToThePage(String base, String page, String tasks, String segment, String link) {
        EndpointLinks links = links(base, new Mapped("wheeldashboard", page), new Mapped("wheelscheduler", tasks));
        assertThat(links.base()).isEqualTo(segment);
        Map<?, ?> endpoints = (Map<?, ?>) links.settings("shop", true).get("endpoints");
        assertThat(endpoints.get("wheelscheduler")).isEqualTo(Map.of("path", link, "exposed", true, "steering", false));
        assertThat(URI.create(link).isAbsolute()).isFalse();
    }

    @Test
    void pageAtTheRootHasADotForItsBase() {
        assertThat(links("", new Mapped("wheeldashboard", "/")).base()).isEqualTo(".");
    }

    @Test
    void endpointThatIsNotThereHasNoPath() {
        assertThat(links("/actuator", new Mapped("wheeldashboard", "wheeldashboard"))
                        .settings("shop", false))
                .isEqualTo(Map.of(
                        "application",
                        "shop",
                        "scheduler",
                        false,
                        "endpoints",
                        Map.of(
                                "wheelscheduler",
                                Map.of("exposed", false, "steering", false),
                                "wheeldurable",
                                Map.of("exposed", false, "steering", false),
                                "wheelhistory",
                                Map.of("exposed", false, "steering", false))));
    }
}
