package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.Seed;
import io.github.wheelscheduler.testing.Timed;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that can happen at once, for half a minute in all, or for as long as is asked for. */
@Timed
class SoakIT {

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void nothingIsLostWhateverHappens(WorkerKind kind) {
        Duration length = SoakLength.perKind();
        Seed.play(random -> {
            ChildJvm child = new ChildJvm(
                    "soak-" + kind,
                    SoakChild.class,
                    List.of(kind.name(), String.valueOf(length.toSeconds()), String.valueOf(random.nextLong())));
            child.haltNowAndThen(length, random);
            // What was missed for want of processors is made up in the end.
            child.awaitSuccess(Duration.ofMinutes(4).plus(length));
        });
    }
}
