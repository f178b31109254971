package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.test.TestingYourApplicationTest.Application;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;

/** Tests of one application whose virtual time starts elsewhere share no context; clocks keep what qualifies them. */
class OtherStartTest {

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(start = "2033-01-01T00:00:00Z")
    static class Plain {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface Remarked {}

    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(start = "2033-01-01T00:00:00Z")
    @Remarked
    static class WithRemark {}

    @Test
    void otherAnnotationsChangeNoContext() {
        List<ApplicationContext> contexts = Stream.of(Plain.class, WithRemark.class)
                .map(test -> new TestContextManager(test).getTestContext().getApplicationContext())
                .toList();
        assertThat(contexts.get(1)).isSameAs(contexts.get(0));
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(start = "2031-01-01T00:00:00Z")
    class InUtc {

        @Autowired
        VirtualTime time;

        @Test
        void startsThere() {
            assertThat(time.now()).isEqualTo(Instant.parse("2031-01-01T00:00:00Z"));
            assertThat(time.clock().getZone()).isEqualTo(ZoneId.of("UTC"));
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime(start = "2032-01-01T00:00:00Z", zone = "Europe/Berlin")
    class InBerlin {

        @Autowired
        VirtualTime time;

        @Test
        void startsThere() {
            assertThat(time.now()).isEqualTo(Instant.parse("2032-01-01T00:00:00Z"));
            assertThat(time.clock().getZone()).isEqualTo(ZoneId.of("Europe/Berlin"));
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    @AutoConfigureVirtualTime
    @Import(OtherStartTest.Clocks.class)
    class WithClocks {

        @Autowired
        VirtualTime time;

        @Autowired
        Clock clock;

        @Autowired
        @Qualifier("local")
        Clock local;

        @Test
        void allShowVirtualTime() {
            assertThat(clock).isSameAs(time.clock());
            assertThat(local).isSameAs(time.clock());
        }
    }

    @Test
    void clockInjectedByItsOwnClassFailsTheStart() {
        assertThatThrownBy(() -> new AnnotationConfigApplicationContext(ByOwnClass.class).close())
                .rootCause()
                .isInstanceOfAny(NoSuchBeanDefinitionException.class, BeanNotOfRequiredTypeException.class)
                .hasMessageContaining("OwnClock");
    }

    @AutoConfigureVirtualTime
    static class ByOwnClass {

        @Bean
        OwnClock own() {
            return new OwnClock();
        }

        @Bean
        List<Instant> instants(OwnClock clock) {
            return List.of(clock.instant());
        }
    }

    static final class OwnClock extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH;
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Clocks {

        @Bean
        Clock utc() {
            return Clock.systemUTC();
        }

        @Bean
        @Fallback
        @Qualifier("local")
        Clock other() {
            return Clock.system(ZoneOffset.ofHours(2));
        }
    }
}
