package io.github.wheelscheduler.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void everythingIsWantedWithoutArguments() {
        Options options = Options.parse(List.of());

        assertThat(options.wantsFigure("A")).isTrue();
        assertThat(options.wantsVariant("1M")).isTrue();
        assertThat(options.wantsContender("hwt")).isTrue();
        assertThat(options.jvms()).isZero();
        assertThat(options.javaHome()).isNull();
    }

    @Test
    void argumentsRestrictWhatIsWanted() {
        Options options = Options.parse(List.of(
                "--figures",
                "A,J",
                "--contenders",
                "wheel,hwt+x/8",
                "--variants",
                "1M",
                "--jvms",
                "3",
                "--results",
                "r"));

        assertThat(options.wantsFigure("J")).isTrue();
        assertThat(options.wantsFigure("C")).isFalse();
        assertThat(options.wantsContender("hwt+x/8")).isTrue();
        assertThat(options.wantsContender("hwt+x")).isFalse();
        assertThat(options.wantsVariant("1k")).isFalse();
        assertThat(options.jvms()).isEqualTo(3);
        assertThat(options.results()).isEqualTo(Path.of("r"));
    }

    @Test
    void impossibleValueIsRejectedWithTheValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--figures", "Z")))
                .withMessageContaining("was Z");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--jvms", "0")))
                .withMessage("--jvms must be a positive number, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--jvms", "many")))
                .withMessageContaining("was many");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--callers", "2,0")))
                .withMessage("--callers must be a positive number, was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--fast", "1")))
                .withMessageContaining("was --fast");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--figures")))
                .withMessageContaining("must have a value");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Jdk.at(Path.of("no-such-jdk")))
                .withMessageContaining("was no-such-jdk");
    }
}
