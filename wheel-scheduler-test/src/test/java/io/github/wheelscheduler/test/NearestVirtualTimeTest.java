package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.test.TestingYourApplicationTest.Application;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.core.annotation.AliasFor;

/** The annotation that is nearest to a test class says when its time starts, where, and in what order runs come. */
class NearestVirtualTimeTest {

    private static void assertIs(VirtualTime time, String start, String zone, boolean isRandom) {
        assertThat(time.now()).isEqualTo(Instant.parse(start));
        assertThat(time.clock().getZone()).isEqualTo(ZoneId.of(zone));
        assertThat(time.seed().isPresent()).isEqualTo(isRandom);
    }

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(start = "2040-01-01T00:00:00Z", zone = "Asia/Tokyo", order = RunOrder.RANDOM)
    abstract static class Base {

        @Autowired
        VirtualTime time;
    }

    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @AutoConfigureVirtualTime(zone = "Europe/Berlin")
    @interface InBerlin {

        @AliasFor(annotation = AutoConfigureVirtualTime.class, attribute = "start")
        String from();
    }

    @Nested
    class WithoutOneOfItsOwn extends Base {

        @Test
        void inheritsThatOfTheBaseClass() {
            assertIs(time, "2040-01-01T00:00:00Z", "Asia/Tokyo", true);
        }
    }

    @Nested
    @AutoConfigureVirtualTime(start = "2041-01-01T00:00:00Z")
    class WithOneOfItsOwn extends Base {

        @Test
        void ownAnnotationWinsOverTheBaseClass() {
            assertIs(time, "2041-01-01T00:00:00Z", "UTC", false);
        }

        @Nested
        class WithoutOneInside {

            @Test
            void inheritsThatOfTheEnclosingClass() {
                assertIs(time, "2041-01-01T00:00:00Z", "UTC", false);
            }
        }

        @Nested
        @AutoConfigureVirtualTime(start = "2042-01-01T00:00:00Z", order = RunOrder.RANDOM)
        class WithOneInside {

            @Test
            void ownAnnotationWinsOverTheEnclosingClass(@Autowired VirtualTime own) {
                assertIs(own, "2042-01-01T00:00:00Z", "UTC", true);
            }
        }

        @Nested
        @InBerlin(from = "2043-01-01T00:00:00Z")
        class WithAComposedOneInside {

            @Test
            void ownAnnotationWinsOverTheEnclosingClass(@Autowired VirtualTime own) {
                assertIs(own, "2043-01-01T00:00:00Z", "Europe/Berlin", false);
            }
        }
    }

    @Nested
    @InBerlin(from = "2044-01-01T00:00:00Z")
    class WithAComposedOne extends Base {

        @Test
        void ownAnnotationWinsOverTheBaseClass() {
            assertIs(time, "2044-01-01T00:00:00Z", "Europe/Berlin", false);
        }
    }
}
