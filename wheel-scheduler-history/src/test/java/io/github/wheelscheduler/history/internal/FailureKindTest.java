package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The text of a failure says which failures are alike. */
class FailureKindTest {

    @Test
    void generatedNamesAreNormalized() {
        assertThat(FailureText.normalized("a.B$$Lambda/0x00007f1c1800a5b8.run")).isEqualTo("a.B$$Lambda.run");
        assertThat(FailureText.normalized("a.B$$Lambda$14/0x000000080012a040.run"))
                .isEqualTo("a.B$$Lambda.run");
        assertThat(FailureText.normalized("jdk.proxy2.$Proxy31.run")).isEqualTo("jdk.proxy2.$Proxy.run");
        assertThat(FailureText.normalized("a.B$$SpringCGLIB$$0.run")).isEqualTo("a.B$$SpringCGLIB$$.run");
        assertThat(FailureText.normalized("a.B$$EnhancerBySpringCGLIB$$5f2c1.run"))
                .isEqualTo("a.B$$EnhancerBySpringCGLIB$$.run");
        assertThat(FailureText.normalized("jdk.internal.reflect.GeneratedMethodAccessor12.invoke"))
                .isEqualTo("jdk.internal.reflect.GeneratedMethodAccessor.invoke");
    }

    @Test
    void messagesDoNotCount() {
        assertThat(text("one")).isEqualTo(text("two"));
        assertThat(text("secret").text()).doesNotContain("secret");
    }

    @Test
    void causesThatGoInCirclesEnd() {
        Exception one = new IllegalStateException();
        Exception two = new IllegalArgumentException(one);
        one.initCause(two);

        assertThat(FailureText.of(one).text()).containsOnlyOnce("IllegalArgumentException");
    }

    @Test
    void exceptionThatThrowsHasNoText() {
        Exception odd = new IllegalStateException() {
            private static final long serialVersionUID = 1;

            @Override
            public StackTraceElement[] getStackTrace() {
                throw new UnsupportedOperationException();
            }
        };

        assertThat(FailureText.of(odd)).isNull();
    }

    private static FailureText text(String message) {
        return FailureText.of(new IllegalStateException(message, new RuntimeException(message)));
    }
}
